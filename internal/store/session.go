package store

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tributary-data/tributary/internal/engine"
)

// session is a connection of the engine with what was set on it.
type session struct {
	conn     *engine.Conn
	database string
	settings map[string]string
}

// sessions is a pool of connections that all begin with the same settings.
type sessions struct {
	engine *engine.Engine
	base   map[string]string
	// free holds a place for each connection that may be open; a nil stands
	// for one that is not open yet.
	free chan *session
}

func newSessions(e *engine.Engine, limit int, base map[string]string) *sessions {
	s := &sessions{engine: e, base: base, free: make(chan *session, limit)}
	for range limit {
		s.free <- nil
	}
	return s
}

// closePatience is how long statements under way are waited for at the end.
const closePatience = 10 * time.Second

// close waits for every connection to come back and closes them. It gives up on
// one whose statement goes on for closePatience: the engine cannot be
// interrupted, and its data does not need to be closed. There are no sessions,
// and nothing to do, with a server.
func (s *sessions) close() error {
	if s == nil {
		return nil
	}
	patience := time.NewTimer(closePatience)
	defer patience.Stop()
	for left := cap(s.free); left > 0; left-- {
		select {
		case one := <-s.free:
			if one != nil {
				one.conn.Close()
			}
		case <-patience.C:
			return fmt.Errorf("closing the store: a statement is still running on up to %d connections", left)
		}
	}
	return nil
}

// acquire takes a connection, waiting for one as long as the context lasts.
func (s *sessions) acquire(ctx context.Context) (*session, error) {
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case one := <-s.free:
		if one != nil {
			return one, nil
		}
	}
	conn, err := s.engine.Connect(s.base)
	if err != nil {
		s.free <- nil
		return nil, err
	}
	return &session{conn: conn, settings: map[string]string{}}, nil
}

func (s *sessions) release(one *session) { s.free <- one }

// run executes a request on the session and writes its output to out.
func (s *session) run(ctx context.Context, r request, out io.Writer) (engine.Result, error) {
	if err := s.prepare(r.database, r.settings); err != nil {
		return engine.Result{}, err
	}
	statement := engine.Statement{SQL: r.statement.SQL, Format: r.format, Params: r.params}
	switch {
	case r.data != nil:
		return s.conn.Insert(r.statement.SQL, r.statement.DataFormat, r.data)
	case r.statement.Rows:
		return s.conn.Stream(ctx, statement, out)
	default:
		return s.conn.Query(statement, out)
	}
}

// prepare brings the session's database and settings to what a request asks
// for. Settings of an earlier request go back to their defaults.
func (s *session) prepare(database string, settings map[string]string) error {
	if database != "" && database != s.database {
		if err := s.exec("USE " + quoteName(database)); err != nil {
			return err
		}
		s.database = database
	}
	if maps.Equal(s.settings, settings) {
		return nil
	}
	var changes []string
	for name := range s.settings {
		if _, ok := settings[name]; !ok {
			changes = append(changes, name+" = DEFAULT")
		}
	}
	for name, value := range settings {
		if old, ok := s.settings[name]; !ok || old != value {
			changes = append(changes, name+" = "+quoteText(value))
		}
	}
	slices.Sort(changes)
	if err := s.exec("SET " + strings.Join(changes, ", ")); err != nil {
		return err
	}
	s.settings = maps.Clone(settings)
	return nil
}

func (s *session) exec(sql string) error {
	if _, err := s.conn.Query(engine.Statement{SQL: sql}, io.Discard); err != nil {
		return fmt.Errorf("preparing the session: %w", err)
	}
	return nil
}

// quoteName writes an identifier so that no character of it is read as SQL.
func quoteName(name string) string {
	return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(name) + "`"
}

// quoteText writes a string literal.
func quoteText(text string) string {
	return "'" + strings.NewReplacer("\\", "\\\\", "'", "\\'").Replace(text) + "'"
}
