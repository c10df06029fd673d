package store

import (
	"context"
	"fmt"
)

// Position says up to where a reader of the log has written its rows.
type Position struct {
	// Reader names who reads, such as "lineage".
	Reader string
	Topic  string
	// Partition and Generation say which copy of which partition.
	Partition  int32
	Generation uint32
	// Next is the offset to go on at: every record before it is in the rows.
	Next int64
}

// SavePosition notes how far a reader has come. Save it after the rows that it
// covers. Of several saved positions the one of the highest generation, and in
// it the furthest, counts, so a reader that has lost its partition and saves
// late does no harm.
func (s *Store) SavePosition(ctx context.Context, positions ...Position) error {
	if len(positions) == 0 {
		return nil
	}
	batch := s.NewBatch("positions", "reader", "topic", "partition", "generation", "next_offset")
	for _, p := range positions {
		batch.Append(p.Reader, p.Topic, p.Partition, p.Generation, p.Next)
	}
	if err := batch.Send(ctx); err != nil {
		return fmt.Errorf("saving the position of %s: %w", positions[0].Reader, err)
	}
	return nil
}

// LoadPosition returns where a reader goes on in a partition: offset 0 of
// generation 0 when it has saved nothing.
func (s *Store) LoadPosition(ctx context.Context, reader, topic string, partition int32) (Position, error) {
	all, err := s.LoadPositions(ctx, reader)
	if err != nil {
		return Position{}, err
	}
	for _, p := range all {
		if p.Topic == topic && p.Partition == partition {
			return p, nil
		}
	}
	return Position{Reader: reader, Topic: topic, Partition: partition}, nil
}

// LoadPositions returns all positions of a reader, by topic and partition.
func (s *Store) LoadPositions(ctx context.Context, reader string) ([]Position, error) {
	rows, err := s.read.Query(ctx, `
		SELECT topic, partition, max((generation, next_offset)).1, max((generation, next_offset)).2
		FROM tributary.positions WHERE reader = {reader:String}
		GROUP BY topic, partition ORDER BY topic, partition`, named("reader", reader)...)
	if err != nil {
		return nil, fmt.Errorf("loading the positions of %s: %w", reader, err)
	}
	defer rows.Close()
	var all []Position
	for rows.Next() {
		p := Position{Reader: reader}
		if err := rows.Scan(&p.Topic, &p.Partition, &p.Generation, &p.Next); err != nil {
			return nil, fmt.Errorf("loading the positions of %s: %w", reader, err)
		}
		all = append(all, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("loading the positions of %s: %w", reader, err)
	}
	return all, nil
}
