package history

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/lineage/api"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// Task gives what is known of a task on a branch; nil if nothing is.
func (s *Store) Task(ctx context.Context, task, branch string) (*api.TaskDetails, error) {
	var out *api.TaskDetails
	err := s.each(ctx, "looking up a task", `
		SELECT argMax(definition, opened), argMax(status = 'defined', opened), min(opened_at), max(opened_at)
		FROM tributary.tasks WHERE task_id = {id:UInt64} AND branch = {branch:String} AND task = {task:String} GROUP BY task_id`,
		args("id", taskID(task), "branch", branch, "task", task), func(rows driver.Rows) error {
			var definition string
			var defined bool
			d := api.TaskDetails{}
			if err := rows.Scan(&definition, &defined, &d.FirstSeen, &d.Defined); err != nil {
				return err
			}
			out = &d
			if !defined {
				return nil
			}
			t := &event.TaskDefined{}
			if err := json.Unmarshal([]byte(definition), t); err != nil {
				return fmt.Errorf("the stored definition of %s is not JSON: %w", task, err)
			}
			d.Name, d.Kind, d.Owner, d.Labels, d.SQL, d.Dialect, d.Definition = t.Name, t.Kind, t.Owner, t.Labels, t.SQL, t.Dialect, t
			return nil
		})
	if err != nil {
		return nil, err
	}
	return s.extraction(ctx, task, branch, out)
}

// extraction adds what the parser made of the task's SQL beside its edges.
func (s *Store) extraction(ctx context.Context, task, branch string, out *api.TaskDetails) (*api.TaskDetails, error) {
	err := s.each(ctx, "looking up an extraction", `
		SELECT argMax(x.dialect, x.version), argMax(x.dialect_guessed, x.version), argMax(x.statements, x.version), argMax(x.steps, x.version), argMax(x.flink, x.version),
			(SELECT argMax(parser, version) FROM tributary.owners WHERE owner_id = {id:UInt64} AND branch = {branch:String} AND source = 'definition')
		FROM tributary.extractions AS x WHERE owner_id = {id:UInt64} AND branch = {branch:String} AND source = 'definition' GROUP BY owner_id`,
		args("id", taskID(task), "branch", branch), func(rows driver.Rows) error {
			var dialect, statements, steps, flink string
			var guessed bool
			var parser uint32
			if err := rows.Scan(&dialect, &guessed, &statements, &steps, &flink, &parser); err != nil {
				return err
			}
			if out == nil {
				out = &api.TaskDetails{}
			}
			out.Dialect, out.Guessed, out.Parser, out.Steps = dialect, guessed, int(parser), json.RawMessage(steps)
			if statements != "" {
				if err := json.Unmarshal([]byte(statements), &out.Statements); err != nil {
					return fmt.Errorf("the stored statements of %s are not JSON: %w", task, err)
				}
			}
			if flink != "" && flink != "null" {
				out.Flink = &event.Flink{}
				return json.Unmarshal([]byte(flink), out.Flink)
			}
			return nil
		})
	return out, err
}

// latestErrors gives the errors of owners as they stand, an array an owner.
const latestErrors = `
	SELECT owner_id, branch, source, argMax(kinds, version) AS kinds, argMax(statements, version) AS statements, argMax(lines, version) AS lines,
		argMax(columns, version) AS columns, argMax(messages, version) AS messages, max(at) AS at
	FROM tributary.sql_errors`

// taskOn is a task on a branch, as rows name them.
type taskOn struct {
	id     uint64
	branch string
}

// Errors gives what could not be parsed in tasks.
func (s *Store) Errors(ctx context.Context, tasks []api.TaskOn) ([]lineageapi.SQLError, error) {
	ids := make([]uint64, len(tasks))
	names := map[taskOn]string{}
	for i, t := range tasks {
		ids[i] = taskID(t.Task)
		names[taskOn{ids[i], t.Branch}] = t.Task
	}
	var out []lineageapi.SQLError
	err := s.each(ctx, "looking up errors", `
		SELECT owner_id, branch, kind, statement, line, column, message FROM (`+latestErrors+` WHERE owner_id IN {ids:Array(UInt64)} GROUP BY owner_id, branch, source)
		ARRAY JOIN kinds AS kind, statements AS statement, lines AS line, columns AS column, messages AS message
		ORDER BY owner_id, branch, statement, line, column`, args("ids", ids), func(rows driver.Rows) error {
		var t taskOn
		e, err := scanError(rows, &t.id, &t.branch)
		if task, ok := names[t]; ok && err == nil {
			e.Task = task
			out = append(out, e)
		}
		return err
	})
	return out, err
}

// scanError reads an error that begins at a row's third column.
func scanError(rows driver.Rows, first ...any) (lineageapi.SQLError, error) {
	var e lineageapi.SQLError
	var statement, line, column uint32
	err := rows.Scan(append(first, &e.Kind, &statement, &line, &column, &e.Message)...)
	e.Statement, e.Line, e.Column = int(statement), int(line), int(column)
	if b, ok := first[1].(*string); ok {
		e.Branch = *b
	}
	return e, err
}

// Unparsed lists errors of all tasks, the latest first.
func (s *Store) Unparsed(ctx context.Context, q api.UnparsedQuestion) (lineageapi.Unparsed, error) {
	skip, err := offsetOf(q.Cursor)
	if err != nil {
		return lineageapi.Unparsed{}, err
	}
	where, ids, err := s.seen(ctx, q.See)
	if err != nil {
		return lineageapi.Unparsed{}, err
	}
	if q.Task != "" {
		where += ` AND owner_id = {id:UInt64}`
	}
	from := `(` + latestErrors + ` ` + where + ` GROUP BY owner_id, branch, source) AS x
		ARRAY JOIN kinds AS kind, statements AS statement, lines AS line, columns AS column, messages AS message
		WHERE {kind:String} = '' OR kind = {kind:String}`
	a := args("ids", ids, "id", taskID(q.Task), "kind", q.Kind, "skip", skip, "limit", q.Limit+1)
	out := lineageapi.Unparsed{Errors: []lineageapi.SQLError{}}
	var total uint64
	if err := s.store.Read().QueryRow(ctx, `SELECT count() FROM `+from, a...).Scan(&total); err != nil {
		return out, fmt.Errorf("counting errors: %w", err)
	}
	out.Total = int(total)
	err = s.each(ctx, "listing errors", `
		SELECT task, branch, kind, statement, line, column, message FROM
		(SELECT owner_id, branch, kind, statement, line, column, message, at FROM `+from+` ORDER BY at DESC, owner_id, branch, statement, line, column LIMIT {limit:UInt32} OFFSET {skip:UInt32}) AS e
		INNER JOIN (SELECT DISTINCT owner_id, task FROM tributary.owners) AS o ON o.owner_id = e.owner_id
		ORDER BY at DESC, owner_id, branch, statement, line, column`, a, func(rows driver.Rows) error {
		var task, branch string
		e, err := scanError(rows, &task, &branch)
		e.Task = task
		out.Errors = append(out.Errors, e)
		return err
	})
	if len(out.Errors) > q.Limit {
		out.Errors, out.Cursor = out.Errors[:q.Limit], cursorOf(skip+q.Limit)
	}
	return out, err
}

// offsetOf and cursorOf turn the place in a list into a text and back.
func offsetOf(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, graph.ErrCursor
	}
	n, err := strconv.ParseUint(string(raw), 10, 31)
	if err != nil {
		return 0, graph.ErrCursor
	}
	return int(n), nil
}

func cursorOf(n int) string { return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(n))) }

// seen gives the condition on the owners of errors that admits the tasks that
// see does, with the ids that it names.
func (s *Store) seen(ctx context.Context, see func(task string) bool) (where string, ids []uint64, err error) {
	if see == nil {
		return `WHERE true`, nil, nil
	}
	err = s.each(ctx, "looking up tasks with errors", `
		SELECT DISTINCT owner_id, task FROM tributary.owners WHERE owner_id IN (SELECT owner_id FROM tributary.sql_errors)`, nil, func(rows driver.Rows) error {
		var id uint64
		var task string
		err := rows.Scan(&id, &task)
		if see(task) {
			ids = append(ids, id)
		}
		return err
	})
	return `WHERE owner_id IN {ids:Array(UInt64)}`, ids, err
}

// Unparseds counts statements and tasks with errors, of the tasks that see
// admits; nil is all.
func (s *Store) Unparseds(ctx context.Context, see func(task string) bool) (statements, tasks int, err error) {
	where, ids, err := s.seen(ctx, see)
	if err != nil {
		return 0, 0, err
	}
	var n, m uint64
	err = s.store.Read().QueryRow(ctx, `SELECT sum(length(arrayDistinct(statements))), countIf(length(statements) > 0) FROM (`+latestErrors+` `+where+` GROUP BY owner_id, branch, source)`, args("ids", ids)...).Scan(&n, &m)
	if err != nil {
		return 0, 0, fmt.Errorf("counting errors: %w", err)
	}
	return int(n), int(m), nil
}

// Runs gives the latest runs of tasks, newest first.
func (s *Store) Runs(ctx context.Context, tasks []string, limit int) ([]lineageapi.Run, error) {
	ids := make([]uint64, len(tasks))
	for i, t := range tasks {
		ids[i] = taskID(t)
	}
	var out []lineageapi.Run
	err := s.each(ctx, "looking up runs", `
		SELECT task, run_id, branch, state, started, ended, error FROM tributary.runs WHERE task_id IN {ids:Array(UInt64)}
		ORDER BY coalesce(ended, started) DESC, run_id LIMIT {limit:UInt32}`, args("ids", ids, "limit", limit), func(rows driver.Rows) error {
		var r lineageapi.Run
		var started, ended *time.Time
		if err := rows.Scan(&r.Task, &r.Id, &r.Branch, &r.State, &started, &ended, &r.Error); err != nil {
			return err
		}
		if started != nil {
			r.Started = *started
		}
		if ended != nil {
			r.Ended = *ended
		}
		out = append(out, r)
		return nil
	})
	return out, err
}

// Recent lists the latest definitions and removals of tasks, newest first.
func (s *Store) Recent(ctx context.Context, keys []string, limit int, cursor string) (lineageapi.Recent, error) {
	skip, err := offsetOf(cursor)
	if err != nil {
		return lineageapi.Recent{}, err
	}
	out := lineageapi.Recent{Changes: []lineageapi.RecentChange{}}
	ids := make([]uint64, len(keys))
	for i, k := range keys {
		ids[i] = taskID(k)
	}
	err = s.each(ctx, "listing changes", `
		SELECT node, t.branch, toString(status), opened_at, opened = first FROM tributary.tasks AS t
		INNER JOIN (SELECT task_id, branch, min(opened) AS first FROM tributary.tasks GROUP BY task_id, branch) AS f ON f.task_id = t.task_id AND f.branch = t.branch
		WHERE empty({ids:Array(UInt64)}) OR node_id IN {ids:Array(UInt64)}
		ORDER BY opened_at DESC, t.task_id, t.branch, t.opened DESC LIMIT {limit:UInt32} OFFSET {skip:UInt32}`,
		args("ids", ids, "limit", limit+1, "skip", skip), func(rows driver.Rows) error {
			var c lineageapi.RecentChange
			var status string
			var first bool
			if err := rows.Scan(&c.Node, &c.Branch, &status, &c.At, &first); err != nil {
				return err
			}
			c.Change = changeOf(status, first)
			out.Changes = append(out.Changes, c)
			return nil
		})
	if len(out.Changes) > limit {
		out.Changes, out.Cursor = out.Changes[:limit], cursorOf(skip+limit)
	}
	return out, err
}

func changeOf(status string, first bool) string {
	switch {
	case status != "defined":
		return status
	case first:
		return "defined"
	}
	return "changed"
}

// Seen tells since when, and until when, each contributor made an edge.
func (s *Store) Seen(ctx context.Context, edge graph.EdgeKey) (map[api.SeenBy]api.SeenSpan, error) {
	out := map[api.SeenBy]api.SeenSpan{}
	err := s.each(ctx, "looking up when an edge was made", `
		SELECT task, branch, o, first, last FROM
		(
			SELECT contributor_id, branch, toString(origin) AS o, min(opened_at) AS first, max(if(closed = 0, now64(3), closed_at)) AS last
			FROM tributary.edges FINAL
			WHERE from_id = {from:UInt64} AND to_id = {to:UInt64} AND direct = {direct:Bool}
			GROUP BY contributor_id, branch, o
		) AS e
		INNER JOIN (SELECT DISTINCT owner_id, task FROM tributary.owners WHERE owner_id IN
			(SELECT contributor_id FROM tributary.edges WHERE from_id = {from:UInt64} AND to_id = {to:UInt64})) AS t ON t.owner_id = e.contributor_id`,
		args("from", lineage.ID(edge.From, edge.FromColumn), "to", lineage.ID(edge.To, edge.ToColumn), "direct", edge.Direct), func(rows driver.Rows) error {
			var by api.SeenBy
			var span api.SeenSpan
			if err := rows.Scan(&by.Contributor, &by.Branch, &by.Origin, &span.First, &span.Last); err != nil {
				return err
			}
			out[by] = span
			return nil
		})
	return out, err
}
