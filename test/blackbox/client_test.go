package blackbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/api/eventsapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// call sends a request and gives status and body.
func call(method, address, contentType string, body io.Reader, headers ...string) (int, []byte, error) {
	req, err := http.NewRequest(method, address, body)
	if err != nil {
		return 0, nil, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return res.StatusCode, raw, err
}

// get asks a question and reads the answer.
func get(t *testing.T, base, path string, params url.Values, into any) {
	t.Helper()
	require.NoError(t, tryGet(base, path, params, into))
}

func tryGet(base, path string, params url.Values, into any) error {
	status, body, err := call(http.MethodGet, base+path+"?"+params.Encode(), "", nil)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s answered %d: %s", path, status, tail(string(body), 500))
	}
	return json.Unmarshal(body, into)
}

// sent is an event to send.
type sent struct {
	SpecVersion string `json:"specversion"`
	ID          string `json:"id"`
	Source      string `json:"source"`
	Type        string `json:"type"`
	Data        any    `json:"data"`
}

// eventOf wraps data as an event of a type.
func eventOf(id, eventType string, data any) sent {
	return sent{event.SpecVersion, id, "blackbox", eventType, data}
}

// lines are events in the form of application/x-ndjson.
func lines(events ...sent) []byte {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	for _, e := range events {
		if err := encoder.Encode(e); err != nil {
			panic(err) // they are maps and structs of texts
		}
	}
	return body.Bytes()
}

// post sends events over HTTP, all of which must be taken.
func post(t *testing.T, base string, events ...sent) eventsapi.EventsAnswer {
	t.Helper()
	a, status, err := tryPost(base, lines(events...))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, "%+v", a)
	return a
}

func tryPost(base string, body []byte) (a eventsapi.EventsAnswer, status int, err error) {
	status, raw, err := call(http.MethodPost, base+"/api/v1/events", "application/x-ndjson", bytes.NewReader(body))
	if err != nil {
		return a, 0, err
	}
	return a, status, json.Unmarshal(raw, &a)
}

// Shop is where most tables of these tests are.
const shop = "mysql://shop:3306"

// task is an event that defines a task by its SQL.
func task(id, sql string) sent {
	return eventOf(id+"-"+fmt.Sprint(len(sql)), event.TypeTaskDefined, &event.TaskDefined{
		Task: event.Task{ID: id}, SQL: sql, Dialect: "mysql", DefaultSource: shop, DefaultSchema: "db",
	})
}

// table is an event that defines a table.
func table(name string, columns ...string) sent {
	d := &event.TableDefined{Dataset: event.Dataset{Namespace: shop, Name: name}}
	for _, c := range columns {
		d.Columns = append(d.Columns, event.Column{Name: c})
	}
	return eventOf(fmt.Sprint(name, columns), event.TypeTableDefined, d)
}

// query runs SQL as the full user of a store, and gives the rows as lines.
func query(t *testing.T, storeURL, sql string) []string {
	t.Helper()
	rows, err := tryQuery(storeURL, sql)
	require.NoError(t, err)
	return rows
}

func tryQuery(storeURL, sql string) ([]string, error) {
	status, body, err := ask(storeURL, "tributary", storeToken, sql)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("the store answered %d: %s", status, body)
	}
	text := strings.TrimSuffix(body, "\n")
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\n"), nil
}

// ask sends SQL to a store as curl would.
func ask(storeURL, user, password, sql string) (int, string, error) {
	headers := []string{}
	if user != "" {
		headers = append(headers, "X-ClickHouse-User", user, "X-ClickHouse-Key", password)
	}
	status, body, err := call(http.MethodPost, storeURL+"/", "text/plain", strings.NewReader(sql), headers...)
	return status, string(body), err
}
