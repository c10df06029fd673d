package consumer

import "sync"

// pool runs extractions on a fixed number of goroutines: live ones first,
// those of the lane when no live one waits.
type pool struct {
	live, lane chan func()
	stopped    chan struct{}
	workers    sync.WaitGroup
}

func newPool(workers int) *pool {
	p := &pool{live: make(chan func()), lane: make(chan func()), stopped: make(chan struct{})}
	for range workers {
		p.workers.Go(p.work)
	}
	return p
}

func (p *pool) work() {
	for {
		select {
		case job := <-p.live:
			job()
			continue
		default:
		}
		select {
		case job := <-p.live:
			job()
		case job := <-p.lane:
			job()
		case <-p.stopped:
			return
		}
	}
}

// run hands a job to a worker and waits until one takes it.
func (p *pool) run(to chan<- func(), job func()) {
	select {
	case to <- job:
	case <-p.stopped:
		job() // the pool has ended; whoever waits for the job is not left waiting
	}
}

// stop ends the workers once their jobs are done.
func (p *pool) stop() {
	close(p.stopped)
	p.workers.Wait()
}
