// Package catalogapi is the generated server interface, client and data types of the catalog API
// (schemas/api/catalog.yaml). What is written is the data of the events of package event themselves.
package catalogapi

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../catalog.yaml
