package blackbox_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// work is a program for the engine command: it takes a moment and puts one file, named by the output's
// location.
const work = `#!/bin/sh
location=$(sed -n 's/.*"locations":\["\([^"]*\)"\].*/\1/p')
sleep 0.1
printf '{"outputs":[{"dataset":{"namespace":"lake","name":"%s"},"put":[{"path":"%s","rows":1}]}]}' "${location%%/*}" "$location"
`

func program(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
	return path
}

// builders are two processes of the build role and two runners, beside one that keeps log and store.
type builders struct {
	t       *testing.T
	keeper  *process
	program string
	ports   [2]string
	build   [2]*process
	run     [2]*process
}

func startBuilders(t *testing.T) *builders {
	t.Helper()
	c := &builders{t: t, program: program(t, "work", work), ports: [2]string{freePort(t), freePort(t)}}
	c.keeper = start(t, "project", "--data", t.TempDir(), "--store-listen", "127.0.0.1:0")
	for i := range c.build {
		c.build[i] = c.builder(i)
		c.run[i] = c.runner(i)
	}
	c.driven()
	return c
}

func (c *builders) url(i int) string { return "http://127.0.0.1:" + c.ports[i] }

// builder starts a builder, always on its own port, as runners know it.
func (c *builders) builder(i int) *process {
	p, _ := launch(c.t, "build", "--data", c.t.TempDir(), "--log-brokers", strings.Join(c.keeper.Brokers, ","),
		"--store-dsn", dsn(c.keeper.Store), "--listen", "127.0.0.1:"+c.ports[i], "--builder-lease", "1s")
	return p
}

func (c *builders) runner(i int) *process {
	return spawn(c.t, "run", "--server", c.url(0)+","+c.url(1), "--space", killSpace, "--name", fmt.Sprint("runner", i),
		"--program", "work="+c.program, "--location", "{name}/{transaction}", "--parallel", "2")
}

// driven waits until a builder drives the space. The group waits for a member that was killed until its
// session ends, and for one that was killed while it joined as long as a rebalance may take.
func (c *builders) driven() {
	c.t.Helper()
	body, err := json.Marshal(object{"build": "none", "token": "none"})
	require.NoError(c.t, err)
	poll(c.t, settleTime, func() error {
		for i := range c.build {
			status, _, err := call(http.MethodPost, c.url(i)+"/api/v1/spaces/"+killSpace+"/runner/heartbeat", "application/json", bytes.NewReader(body))
			if err == nil && status == http.StatusConflict { // StaleAttempt: it knows all attempts that are live
				return nil
			}
		}
		return errors.New("no builder drives the space")
	})
}

// load has clients work until stop is closed, with whichever builder answers.
func (c *builders) load(l *catalogLoad, seed uint64, stop <-chan struct{}) *sync.WaitGroup {
	var clients sync.WaitGroup
	for n := range 4 {
		clients.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			for {
				if l.step(c.url(r.IntN(2)), r) {
					select {
					case <-stop:
						return
					default:
						continue
					}
				}
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond): // it is being started again
				}
			}
		})
	}
	return &clients
}

// TestBuildersAndRunnersKilledAtRandomMoments kills processes of the build role and runners one by one, and
// stops runners for longer than a lease, while people work and builds run.
func TestBuildersAndRunnersKilledAtRandomMoments(t *testing.T) {
	s := seed(t)
	r := rand.New(rand.NewPCG(s, 0))
	c := startBuilders(t)
	l := &catalogLoad{accepted: map[int64]string{}, engine: "command"}
	poll(t, settleTime, func() error { // a builder that has just started may not answer yet
		l.setUp(c.url(0))
		if n := len(l.accepted); n < setUpEvents {
			return fmt.Errorf("%d of %d events to begin with are accepted", n, setUpEvents)
		}
		return nil
	})
	stop := make(chan struct{})
	clients := c.load(l, s, stop)
	for range rounds(t, 8, 50) {
		<-time.After(time.Duration(r.IntN(400)) * time.Millisecond)
		i := r.IntN(2)
		switch r.IntN(10) {
		case 0:
			c.driven()
			c.build[i].kill()
			c.build[i] = c.builder(i)
		case 1:
			require.NoError(t, c.run[i].cmd.Process.Signal(syscall.SIGSTOP))
			<-time.After(1500 * time.Millisecond) // its leases end meanwhile, and it does not know
			require.NoError(t, c.run[i].cmd.Process.Signal(syscall.SIGCONT))
		default:
			c.run[i].kill()
			c.run[i] = c.runner(i)
		}
	}
	close(stop)
	clients.Wait()
	for i := range c.build {
		poll(t, startTime, func() error { _, _, err := call(http.MethodGet, c.url(i)+"/healthz", "", nil); return err })
	}
	client := connect(t, c.keeper.Brokers)
	poll(t, settleTime, func() error { // the runners that live do what is left
		if n := len(readCatalog(t, client).space.Running); n > 0 {
			return fmt.Errorf("%d builds are running", n)
		}
		return nil
	})
	l.sendLate(t, c.url(0))
	h := readCatalog(t, client)
	for i := range c.build {
		h.require(t, c.url(i), c.keeper.Store, l.accepted)
	}
	l.logf(t, h)
	for _, p := range []*process{c.build[0], c.build[1], c.keeper} {
		require.Zero(t, p.interrupt(), p.out.String())
	}
}
