package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// digester hashes values so that no two different lists of them are the same bytes.
type digester struct {
	hash.Hash
	buffer []byte
}

func (d *digester) text(list ...string) {
	for _, s := range list {
		d.buffer = binary.AppendUvarint(d.buffer[:0], uint64(len(s)))
		d.buffer = append(d.buffer, s...)
		d.Write(d.buffer)
	}
}

func (d *digester) number(list ...int) {
	for _, n := range list {
		d.buffer = binary.AppendVarint(d.buffer[:0], int64(n))
		d.Write(d.buffer)
	}
}

func (d *digester) flag(b bool) {
	if b {
		d.number(1)
		return
	}
	d.number(0)
}

func (d *digester) branch(b *Branch) {
	if b == nil {
		d.text("")
		return
	}
	d.text(b.Name)
	d.number(b.Incarnation)
}

func (d *digester) transaction(t *Transaction) {
	if t == nil {
		d.text("")
		return
	}
	d.Write(t.ID[:])
}

// digest covers everything that the build would do: each job's logic and state, what it reads, and what
// it writes where. Sentences for people are left out.
func (p *Plan) digest() string {
	d := &digester{Hash: sha256.New()}
	d.text(p.Branch)
	d.text(p.Fallbacks...)
	d.number(len(p.Jobs), len(p.Refusals))
	for _, r := range p.Refusals {
		d.text(string(r.Code), r.Dataset.Namespace, r.Dataset.Name)
	}
	for _, job := range p.Jobs {
		d.text(job.Spec.ID, job.Spec.Branch, job.Spec.Hash)
		d.flag(job.Run)
		d.flag(job.Incremental)
		for i := range job.Inputs {
			in := &job.Inputs[i]
			d.text(in.Dataset.Namespace, in.Dataset.Name, in.Space)
			d.number(in.Job)
			d.branch(in.Branch)
			d.transaction(in.Transaction)
			d.transaction(in.Since)
		}
		for i := range job.Outputs {
			out := &job.Outputs[i]
			d.text(job.Spec.Outputs[i].Dataset.Namespace, job.Spec.Outputs[i].Dataset.Name)
			d.branch(out.Branch)
			d.branch(out.From)
			d.transaction(out.Base)
			d.number(int(out.Type))
		}
	}
	return hex.EncodeToString(d.Sum(nil)[:16])
}
