package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/audit"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
)

// settleTime bounds how long roles take to fold what is in the log.
const settleTime = 4 * time.Minute

// connect opens a client of the log.
func connect(t *testing.T, brokers []string) *log.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	client, err := log.Open(ctx, log.Config{Brokers: brokers, ClientID: "blackbox"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return client
}

// openStore opens a store that listens, as a role does.
func openStore(t *testing.T, storeURL string) *store.Store {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	s, err := store.Open(ctx, store.Config{DSN: dsn(storeURL)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// dsn names a store that listens, for --store-dsn.
func dsn(storeURL string) string {
	return strings.Replace(storeURL, "http://", "http://tributary:"+storeToken+"@", 1) + "/tributary"
}

// readers lists who must have come to the end of which topic.
var readers = []struct{ reader, topic string }{
	{progress.ReaderParser, log.TopicTasks},
	{progress.ReaderLineage, log.TopicTasks},
	{progress.ReaderLineage, log.TopicDefinitions},
	{progress.ReaderLineage, log.TopicLineage},
}

// ends gives where the topics of lineage end.
func ends(ctx context.Context, client *log.Client) (map[string][]int64, error) {
	out := map[string][]int64{}
	for _, topic := range []string{log.TopicTasks, log.TopicDefinitions, log.TopicLineage} {
		e, err := client.Ends(ctx, topic)
		if err != nil {
			return nil, err
		}
		out[topic] = e
	}
	return out, nil
}

// behind says who has not come to the end of what yet; nil if all have.
func behind(client *log.Client, storeURL string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	before, err := ends(ctx, client)
	if err != nil {
		return err
	}
	rows, err := tryQuery(storeURL, "SELECT reader, topic, partition, max(next_offset) FROM tributary.positions GROUP BY reader, topic, partition FORMAT TSV")
	if err != nil {
		return err
	}
	saved := map[string]int64{}
	for _, row := range rows {
		var reader, topic string
		var partition int
		var next int64
		if _, err := fmt.Sscan(row, &reader, &topic, &partition, &next); err != nil {
			return err
		}
		saved[fmt.Sprint(reader, topic, partition)] = next
	}
	for _, r := range readers {
		for p, end := range before[r.topic] {
			if next := saved[fmt.Sprint(r.reader, r.topic, p)]; next < end {
				return fmt.Errorf("%s is at %d of %d in %s/%d", r.reader, next, end, r.topic, p)
			}
		}
	}
	after, err := ends(ctx, client)
	if err != nil {
		return err
	}
	for topic := range before {
		if !slices.Equal(before[topic], after[topic]) {
			return errors.New(topic + " still grows")
		}
	}
	return nil
}

// settle waits until everything that is in the log is in the tables.
func settle(t *testing.T, client *log.Client, storeURL string) {
	t.Helper()
	poll(t, settleTime, func() error { return behind(client, storeURL) })
}

// requireAudit waits until the log is folded, and compares the tables with a
// plain fold of it. What was extracted again meanwhile is waited for.
func requireAudit(t *testing.T, client *log.Client, storeURL string) audit.Picture {
	t.Helper()
	s := openStore(t, storeURL)
	var stored audit.Picture
	poll(t, settleTime, func() error {
		settle(t, client, storeURL)
		ctx, cancel := context.WithTimeout(context.Background(), settleTime)
		defer cancel()
		before, err := ends(ctx, client)
		require.NoError(t, err)
		want, err := audit.Expected(ctx, client)
		require.NoError(t, err)
		stored, err = audit.Stored(ctx, s)
		require.NoError(t, err)
		fault := different(want, stored)
		if fault == nil {
			return nil
		}
		after, err := ends(ctx, client)
		require.NoError(t, err)
		if reflect.DeepEqual(before, after) {
			t.Fatalf("the tables differ from a fold of the log: %v", fault)
		}
		return errors.New("the log still grows")
	})
	return stored
}

// different tells how two pictures differ, in a few lines; nil if they do not.
func different(want, got audit.Picture) error {
	d := audit.Differences(want, got)
	if len(d) == 0 {
		return nil
	}
	text := fmt.Sprintf("%d differences", len(d))
	for _, line := range d[:min(len(d), 10)] {
		text += "\n" + line[:min(len(line), 200)]
	}
	return errors.New(text)
}

// soon waits until a query of a store gives these rows.
func soon(t *testing.T, storeURL, sql string, want ...string) {
	t.Helper()
	poll(t, settleTime, func() error {
		got, err := tryQuery(storeURL, sql)
		if err != nil {
			return err
		}
		if !slices.Equal(want, got) {
			return fmt.Errorf("the rows are\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		return nil
	})
}
