package emit_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/tributary-data/tributary/ingest"
	"github.com/tributary-data/tributary/ingest/emit"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// A scheduler tells of a task over HTTP, and makes sure before it goes on.
func ExampleHTTP() {
	server := exampleServer()
	defer server.Close()

	sink, err := emit.HTTP(server.URL, emit.HTTPOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	emitter, err := emit.New(sink, emit.Options{Source: "https://scheduler.example.com"})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err = emitter.Emit(ctx, &event.TaskDefined{
		Task:    event.Task{Namespace: "scheduler", ID: "orders_daily"},
		SQL:     "INSERT INTO dwd.orders SELECT id, amount FROM shop.orders",
		Dialect: "mysql", DefaultSource: "mysql://shop-db:3306",
	})
	if err != nil {
		fmt.Println("not an event:", err)
	}
	fmt.Println("in the log:", emitter.Flush(ctx) == nil)
	fmt.Println("closed:", emitter.Close(ctx) == nil)
	// Output:
	// in the log: true
	// closed: true
}

// A service with a Kafka connection of its own needs no server in between.
func ExampleKafka() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	broker, err := exampleBroker(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer broker.Close()

	sink, err := emit.Kafka(ctx, "crm", broker.Addrs()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	emitter, err := emit.New(sink, emit.Options{Source: "crm"})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = emitter.EmitEvent(ctx, event.Event{
		ID: "customers-2026-03-01", // the same id again would change nothing
		Data: &event.TableDefined{
			Dataset: event.Dataset{Namespace: "mysql://crm-db:3306", Name: "crm.customers"},
			Columns: []event.Column{{Name: "id", Type: "bigint"}, {Name: "phone", Type: "varchar(20)", Masked: true}},
		},
	})
	if err != nil {
		fmt.Println("not an event:", err)
	}
	fmt.Println("closed:", emitter.Close(ctx) == nil)
	// Output:
	// closed: true
}

// exampleServer stands in for 'tributary serve'.
func exampleServer() *httptest.Server {
	h, err := ingest.New(ingest.Options{Log: &recordingLog{}})
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	h.Register(mux)
	return httptest.NewServer(mux)
}

// exampleBroker stands in for a Kafka cluster.
func exampleBroker(ctx context.Context, dir string) (*log.Embedded, error) {
	broker, err := log.StartEmbedded(log.EmbeddedConfig{Dir: dir})
	if err != nil {
		return nil, err
	}
	client, err := log.Open(ctx, log.Config{Brokers: broker.Addrs()})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	return broker, client.EnsureTopics(ctx, log.Topics(log.EmbeddedPartitions))
}
