package cli_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/cli"
	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
)

func TestDeadletterCommands(t *testing.T) {
	client := logtest.Start(t)
	at, err := client.Append(t.Context(), []log.Record{{Topic: log.TopicTasks, Key: []byte("default|a"), Value: []byte("{nonsense")}})
	require.NoError(t, err)
	rec, err := client.RecordAt(t.Context(), at[0].Topic, at[0].Partition, at[0].Offset)
	require.NoError(t, err)
	_, fault := deadletter.Judge(&rec, log.EmbeddedPartitions)
	require.NoError(t, deadletter.Write(t.Context(), client, []deadletter.Letter{deadletter.New(&rec, fault)}))
	mux := http.NewServeMux()
	deadletter.NewService(client).Register(mux)
	server := httptest.NewServer(mux)
	defer server.Close()

	run := func(args ...string) (string, error) {
		cmd := cli.NewDeadletterCommand()
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SilenceUsage = true
		cmd.SetArgs(append(args, "--server", server.URL))
		err := cmd.ExecuteContext(t.Context())
		return out.String(), err
	}
	place := at[0].String()
	out, err := run("list")
	require.NoError(t, err)
	require.Contains(t, out, place)
	require.Contains(t, out, "InvalidAttribute")

	out, err = run("show", place)
	require.NoError(t, err)
	require.Contains(t, out, "{nonsense")

	out, err = run("retry", place)
	require.NoError(t, err)
	require.Contains(t, out, "is written again")

	out, err = run("list")
	require.NoError(t, err)
	require.Equal(t, "no dead letters\n", out)

	_, err = run("show", "tributary.tasks/0/77")
	require.ErrorContains(t, err, "DeadLetterNotFound")
	_, err = run("show", "nonsense")
	require.ErrorIs(t, err, deadletter.ErrPlace)
}
