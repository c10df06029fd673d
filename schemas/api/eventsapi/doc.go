// Package eventsapi is generated from schemas/api/events.yaml: the routes, the
// shapes of answers, and a client.
package eventsapi

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../events.yaml
