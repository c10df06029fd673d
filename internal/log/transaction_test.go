package log_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// transaction is a producer of another kind, with transactions.
type transaction struct {
	t      *testing.T
	b      *bench
	client *kgo.Client
	open   bool
}

func newTransaction(t *testing.T, b *bench, id string) *transaction {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.addrs...), kgo.TransactionalID(id), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return &transaction{t: t, b: b, client: client}
}

// produce writes one record in the open transaction, opening one if need be.
func (x *transaction) produce(partition int, value string) {
	if !x.open {
		require.NoError(x.t, x.client.BeginTransaction())
		x.open = true
	}
	r := &kgo.Record{Topic: x.b.topic, Partition: int32(partition), Value: []byte(value)}
	require.NoError(x.t, x.client.ProduceSync(x.b.ctx, r).FirstErr())
}

// end commits or aborts.
func (x *transaction) end(commit bool) {
	require.NoError(x.t, x.client.EndTransaction(x.b.ctx, kgo.TransactionEndTry(commit)))
	x.open = false
}
