// Package lineageapi is the generated server interface, client and data types of
// the lineage API (schemas/api/lineage.yaml).
package lineageapi

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../lineage.yaml
