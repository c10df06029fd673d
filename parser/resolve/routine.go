package resolve

import (
	"slices"

	"github.com/tributary-data/tributary/parser/ir"
)

// routineOf resolves the body of a procedure, function, trigger or task.
func (r *resolver) routineOf(s *ir.Statement, n *ir.CreateRoutine) {
	r.begin(s, "create "+string(n.Object))
	if n.Opaque {
		if n.Object == ir.ObjectProcedure {
			r.failf(ir.ErrorUnresolved, s.Start, "the body is in %s, which is not read", n.Language)
		}
		return
	}
	r.vars = newVariables(r.vars)
	was := r.conditional
	r.conditional = 0
	isFunction := n.Object == ir.ObjectFunction
	if isFunction {
		r.function++
	}
	g, around := &given{}, r.giving
	r.giving = g
	for i := range n.Params {
		r.declareOne(&n.Params[i])
		g.parameter(r.vars.find(n.Params[i].Name), n.Params[i].Name)
	}
	for _, t := range r.triggersOf(n) {
		r.triggerRows(t)
	}
	if n.Query != nil {
		rel := r.query(n.Query, nil)
		r.noteReads(rel)
		r.gives(rel)
	}
	for _, x := range n.Body {
		r.statement(x)
	}
	r.keepGiven(n, g)
	r.giving = around
	if isFunction {
		r.function--
	}
	r.conditional = was
	r.vars = r.vars.parent
}

// triggersOf are the triggers whose rows a body sees: the trigger itself, or those of
// the script that run the function.
func (r *resolver) triggersOf(n *ir.CreateRoutine) []*ir.CreateRoutine {
	if n.On.Set() {
		return []*ir.CreateRoutine{n}
	}
	if n.Object != ir.ObjectFunction && n.Object != ir.ObjectProcedure || !n.Name.Set() {
		return nil
	}
	return r.triggers[varKey(n.Name.Last().Name)]
}

// findTriggers notes which functions the script's triggers run, wherever they stand.
func (r *resolver) findTriggers(triggers []*ir.CreateRoutine) {
	for _, n := range triggers {
		if len(n.Body) != 1 {
			continue
		}
		if c, ok := n.Body[0].Node.(*ir.CallStmt); ok && c.Name.Set() {
			if r.triggers == nil {
				r.triggers = map[string][]*ir.CreateRoutine{}
			}
			key := varKey(c.Name.Last().Name)
			r.triggers[key] = append(r.triggers[key], n)
		}
	}
}

// triggerRows makes the rows of a trigger's table known: NEW and OLD as records,
// inserted and deleted as tables.
func (r *resolver) triggerRows(n *ir.CreateRoutine) {
	t := r.catalog.lookup(n.On)
	rows := r.content(t)
	rel := &relation{cols: rows.cols, deps: []*relation{rows}}
	row := r.row(rows, n.On.Start)
	news, names := []string{"new"}, []string{"new", "old"}
	for _, id := range n.NewNames {
		news, names = append(news, id.Name), append(names, id.Name)
	}
	for _, id := range n.OldNames {
		names = append(names, id.Name)
	}
	if n.When != nil {
		in := &scope{rel: rel}
		for _, x := range names {
			in.addSource(&source{rel: rows, alias: r.aliasKey(ir.Ident{Name: x})})
		}
		r.walk(n.When, in, flow{conds: &rel.conds, steering: true, kind: steerFilter})
	}
	for _, x := range names {
		v := &variable{v: row, rel: rel, table: rows}
		if slices.Contains(news, x) {
			v.target = t
		}
		r.vars.set(x, v)
		r.vars.set(":"+x, &variable{v: row, rel: rel, target: v.target})
	}
	for _, x := range [...]string{"inserted", "deleted"} {
		r.vars.set(x, &variable{table: rows, rel: rel})
	}
}
