package blackbox_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log/kafkatest"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
)

// cluster is every role in processes of its own, on a real Kafka and one
// store. The first projector keeps the store for the others.
type cluster struct {
	t       *testing.T
	brokers string
	dir     string
	port    string
	keeper  *process

	ingest, parse, project, query [2]*process
}

// startCluster starts two processes of each role beside the one that keeps the
// store.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	needKafka(t)
	c := &cluster{t: t, brokers: kafkatest.Start(t), dir: t.TempDir(), port: freePort(t)}
	c.startKeeper()
	var group sync.WaitGroup
	for role, two := range map[string]*[2]*process{"ingest": &c.ingest, "parse": &c.parse, "project": &c.project, "query": &c.query} {
		for i := range two {
			p, ready := launch(t, role, c.args()...)
			two[i] = p
			group.Go(func() { p.awaitReady(ready) })
		}
	}
	group.Wait()
	require.False(t, t.Failed())
	return c
}

// args are those of a role that uses the shared store.
func (c *cluster) args() []string {
	return []string{"--data", c.t.TempDir(), "--log-brokers", c.brokers, "--log-partitions", "6", "--store-dsn", dsn("http://127.0.0.1:" + c.port)}
}

// startKeeper starts the projector that keeps the store; always on the same
// address, as the others know it.
func (c *cluster) startKeeper() {
	c.t.Helper()
	c.keeper = start(c.t, "project", "--data", c.dir, "--log-brokers", c.brokers, "--log-partitions", "6", "--store-listen", "127.0.0.1:"+c.port)
}

func freePort(t *testing.T) string {
	t.Helper()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer socket.Close()
	_, port, err := net.SplitHostPort(socket.Addr().String())
	require.NoError(t, err)
	return port
}

// letters counts the dead letters.
func letters(t *testing.T, base string) int {
	t.Helper()
	var list deadletter.List
	get(t, base, "/api/v1/deadletters", nil, &list)
	return list.Total
}

// sameAnswers asks two servers the same, and wants the same.
func sameAnswers(t *testing.T, a, b string, nodes ...string) {
	t.Helper()
	for _, node := range nodes {
		for _, direction := range []string{"up", "down"} {
			params := url.Values{"node": {node}, "direction": {direction}}
			poll(t, settleTime, func() error {
				var x, y lineageapi.Closure
				if err := tryGet(a, "/api/v1/closure", params, &x); err != nil {
					return err
				}
				if err := tryGet(b, "/api/v1/closure", params, &y); err != nil {
					return err
				}
				if fmt.Sprint(reached(x)) != fmt.Sprint(reached(y)) {
					return fmt.Errorf("%s of %s: %v and %v", direction, node, reached(x), reached(y))
				}
				return nil
			})
		}
	}
}

func TestRolesApart(t *testing.T) {
	needPython(t)
	c := startCluster(t)
	client := connect(t, []string{c.brokers})
	feed(t, c.ingest[0])
	requireAnswers(t, c.query[0].URL)
	requireAnswers(t, c.query[1].URL)
	requireAudit(t, client, c.keeper.Store)

	// One of each role is killed under load.
	s := seed(t)
	r := rand.New(rand.NewPCG(s, 0))
	l := newLoad(0)
	stop := make(chan struct{})
	var senders sync.WaitGroup
	for i, p := range c.ingest {
		senders.Go(func() { l.run(p.URL, s+uint64(i), stop) })
	}
	for _, p := range []*process{c.parse[0], c.project[0], c.query[0], c.ingest[0]} {
		<-time.After(time.Duration(r.IntN(800)) * time.Millisecond)
		p.kill()
	}
	<-time.After(time.Duration(r.IntN(800)) * time.Millisecond)
	close(stop)
	senders.Wait()
	l.requireAcked(t, client)
	picture := requireAudit(t, client, c.keeper.Store)
	requireAnswers(t, c.query[1].URL)
	t.Logf("%d events acknowledged, %d rows equal to a fold of the log after a kill of each role", len(l.acked), picture.Rows())

	fresh := start(t, "query", c.args()...)
	sameAnswers(t, c.query[1].URL, fresh.URL, orders, export, "dataset|"+shop+"|db.t1", "dataset|"+shop+"|db.m1")
	require.Zero(t, letters(t, fresh.URL))
	for _, p := range []*process{c.ingest[1], c.parse[1], c.query[1], fresh, c.project[1], c.keeper} {
		require.Zero(t, p.interrupt(), p.out.String())
	}
}

func TestTheStoreGoesAwayAndReturns(t *testing.T) {
	c := startCluster(t)
	client := connect(t, []string{c.brokers})
	s := seed(t)
	l := newLoad(0)
	stop := make(chan struct{})
	var senders sync.WaitGroup
	senders.Go(func() { l.run(c.ingest[0].URL, s, stop) })
	poll(t, settleTime, func() error {
		rows, err := tryQuery(c.keeper.Store, "SELECT count() FROM tributary.owners HAVING count() > 5")
		if err == nil && len(rows) == 0 {
			err = fmt.Errorf("no owners yet")
		}
		return err
	})
	c.keeper.kill()
	// It stays away until a projector has tried in vain, and events still come.
	poll(t, settleTime, func() error {
		for _, p := range c.project {
			if strings.Contains(p.out.String(), "trying again") {
				return nil
			}
		}
		return fmt.Errorf("no projector has noticed")
	})
	post(t, c.ingest[1].URL, task("meanwhile", "INSERT INTO dw.meanwhile (x) SELECT x FROM meanwhile1"))
	close(stop)
	senders.Wait()
	c.startKeeper()

	l.requireAcked(t, client)
	requireAudit(t, client, c.keeper.Store)
	soon(t, c.keeper.Store, "SELECT to_name FROM tributary.lineage_edges WHERE from_name = 'db.meanwhile1'", "dw.meanwhile")
	require.Zero(t, letters(t, c.query[0].URL))
	sameAnswers(t, c.query[0].URL, c.query[1].URL, "dataset|"+shop+"|dw.meanwhile", "dataset|"+shop+"|db.t1")
	for _, two := range [][2]*process{c.ingest, c.parse, c.query, c.project} {
		for _, p := range two {
			require.Zero(t, p.interrupt(), p.out.String())
		}
	}
	require.Zero(t, c.keeper.interrupt())
}
