package event_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/event"
)

func TestCredentialsAreConcealed(t *testing.T) {
	for typ, c := range map[string][2]string{
		event.TypeTaskDefined: {
			`{"id":"a","new":1,"sql":"CREATE USER u IDENTIFIED BY 'abc'","variables":{"db_password":"abc","day":"d"},"facets":{"x":{"token":"abc"}}}`,
			`{"id":"a","new":1,"sql":"CREATE USER u IDENTIFIED BY '***'","variables":{"db_password":"***","day":"d"},"facets":{"x":{"token":"***"}}}`,
		},
		event.TypeTableDefined: {
			`{"name":"t","options":{"password":"abc","url":"jdbc:x://u:abc@h"},"engine":"e"}`,
			`{"name":"t","options":{"password":"***","url":"jdbc:x://u:***@h"},"engine":"e"}`,
		},
		event.TypeRunFailed: {
			`{"run_id":"r","task":{"id":"a"},"error":{"message":"no way to mysql://u:abc@h","stack":"password='abc'"},"about":{"facets":{"x":{"secret":"abc"}}}}`,
			`{"run_id":"r","task":{"id":"a"},"error":{"message":"no way to mysql://u:***@h","stack":"password='***'"},"about":{"facets":{"x":{"secret":"***"}}}}`,
		},
	} {
		env := &event.Envelope{ID: "1", Source: "s", Type: typ, Data: []byte(c[0])}
		read, err := env.Decode()
		require.NoError(t, err)
		require.Equal(t, c[0], string(env.Data))
		ev, err := env.Conceal()
		require.NoError(t, err)
		require.JSONEq(t, c[1], string(env.Data))
		require.Equal(t, ev, read, "readers of the log see no credentials either")
		again, err := env.Decode()
		require.NoError(t, err)
		require.Equal(t, ev, again)
	}
}
