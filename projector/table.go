package projector

import (
	"time"

	"github.com/tributary-data/tributary/internal/store"
)

// blocks are the rows of a batch for all tables, and the positions that are
// reached once they are written.
type blocks struct {
	nodes       *nodeBlock
	edges       *edgeBlock
	mentions    *mentionBlock
	errors      *errorBlock
	extractions *extractionBlock
	runs        *runBlock
	tasks       *taskBlock
	tables      *tableBlock
	sources     *sourceBlock
	mappings    *mappingBlock
	owners      *ownerBlock
	positions   []store.Position
}

func newBlocks() *blocks {
	return &blocks{
		nodes: newNodeBlock(), edges: newEdgeBlock(), mentions: newMentionBlock(), errors: newErrorBlock(),
		extractions: newExtractionBlock(), runs: newRunBlock(), tasks: newTaskBlock(), tables: newTableBlock(),
		sources: newSourceBlock(), mappings: newMappingBlock(), owners: newOwnerBlock(),
	}
}

// target is a block and the table that it goes into.
type target struct {
	table string
	block *block
}

// stages gives the blocks in the order in which they must be written: those
// of a later stage prove those of the stages before.
func (b *blocks) stages() [][]target {
	return [][]target{
		{
			{"nodes", &b.nodes.block}, {"edges", &b.edges.block}, {"edges_by_target", &b.edges.block}, {"mentions", &b.mentions.block},
			{"sql_errors", &b.errors.block}, {"extractions", &b.extractions.block}, {"run_events", &b.runs.block},
		},
		{
			{"tasks", &b.tasks.block}, {"table_definitions", &b.tables.block}, {"sources", &b.sources.block},
			{"source_mappings", &b.mappings.block}, {"owners", &b.owners.block},
		},
	}
}

// reset takes all rows and positions out, and keeps the memory for others.
func (b *blocks) reset() {
	for _, stage := range b.stages() {
		for _, t := range stage {
			t.block.reset()
		}
	}
	b.positions = nil
}

// rows counts the rows of all blocks.
func (b *blocks) rows() int {
	n := 0
	for _, stage := range b.stages() {
		for _, t := range stage {
			n += t.block.rows
		}
	}
	return n
}

type nodeBlock struct {
	block
	id, parent                      values[uint64]
	family, namespace, nodeName, of values[string]
}

func newNodeBlock() *nodeBlock {
	b := &nodeBlock{
		id: in[uint64]("id"), parent: in[uint64]("parent_id"), family: in[string]("family"),
		namespace: in[string]("namespace"), nodeName: in[string]("name"), of: in[string]("column"),
	}
	b.columns = []column{&b.id, &b.parent, &b.family, &b.namespace, &b.nodeName, &b.of}
	return b
}

type edgeBlock struct {
	block
	from, to, contributor, opened, version values[uint64]
	closed                                 seldom[uint64]
	level, origin                          values[int8]
	direct                                 values[bool]
	unexpanded                             seldom[bool]
	branch                                 values[string]
	who, why                               seldom[string]
	partition, via                         values[uint16]
	statements                             values[[]uint32]
	// numbers are what statements are cut from.
	numbers  []uint32
	openedAt values[time.Time]
	closedAt seldom[time.Time]
}

func newEdgeBlock() *edgeBlock {
	b := &edgeBlock{
		from: in[uint64]("from_id"), to: in[uint64]("to_id"), level: in[int8]("level"), direct: in[bool]("direct"), origin: in[int8]("origin"),
		contributor: in[uint64]("contributor_id"), branch: in[string]("branch"), opened: in[uint64]("opened"), closed: few[uint64]("closed", 0),
		version: in[uint64]("version"), partition: in[uint16]("partition"), via: in[uint16]("via"), unexpanded: few("unexpanded", false),
		statements: in[[]uint32]("statements"), openedAt: in[time.Time]("opened_at"), closedAt: few("closed_at", epoch()),
		who: few("who", ""), why: few("why", ""),
	}
	b.columns = []column{
		&b.from, &b.to, &b.level, &b.direct, &b.origin, &b.contributor, &b.branch, &b.opened, &b.closed, &b.version, &b.partition,
		&b.via, &b.unexpanded, &b.statements, &b.openedAt, &b.closedAt, &b.who, &b.why,
	}
	return b
}

// ownerColumns are the columns that say whose row it is.
type ownerColumns struct {
	owner  values[uint64]
	branch values[string]
	source values[int8]
}

func newOwnerColumns() ownerColumns {
	return ownerColumns{owner: in[uint64]("owner_id"), branch: in[string]("branch"), source: in[int8]("source")}
}

func (c *ownerColumns) list() []column { return []column{&c.owner, &c.branch, &c.source} }

type mentionBlock struct {
	block
	ownerColumns
	node, version values[uint64]
	kind, display values[string]
	closed        values[bool]
	partition     values[uint16]
}

func newMentionBlock() *mentionBlock {
	b := &mentionBlock{
		ownerColumns: newOwnerColumns(), node: in[uint64]("node_id"), kind: in[string]("kind"), display: in[string]("display"),
		closed: in[bool]("closed"), version: in[uint64]("version"), partition: in[uint16]("partition"),
	}
	b.columns = append(b.list(), &b.node, &b.kind, &b.display, &b.closed, &b.version, &b.partition)
	return b
}

type errorBlock struct {
	block
	ownerColumns
	version                   values[uint64]
	partition                 values[uint16]
	at                        values[time.Time]
	kinds, messages           values[[]string]
	statements, lines, places values[[]uint32]
}

func newErrorBlock() *errorBlock {
	b := &errorBlock{
		ownerColumns: newOwnerColumns(), version: in[uint64]("version"), partition: in[uint16]("partition"), at: in[time.Time]("at"),
		kinds: in[[]string]("kinds"), statements: in[[]uint32]("statements"), lines: in[[]uint32]("lines"), places: in[[]uint32]("columns"), messages: in[[]string]("messages"),
	}
	b.columns = append(b.list(), &b.version, &b.partition, &b.at, &b.kinds, &b.statements, &b.lines, &b.places, &b.messages)
	return b
}

type extractionBlock struct {
	block
	ownerColumns
	version                             values[uint64]
	partition                           values[uint16]
	at                                  values[time.Time]
	kind, dialect, statements           values[string]
	steps                               values[[]byte]
	taskName, run, givenColumns, mapped seldom[string]
	guessed                             seldom[bool]
	confidence                          seldom[float32]
}

func newExtractionBlock() *extractionBlock {
	b := &extractionBlock{
		ownerColumns: newOwnerColumns(), version: in[uint64]("version"), partition: in[uint16]("partition"), at: in[time.Time]("at"),
		kind: in[string]("kind"), taskName: few("name", ""), dialect: in[string]("dialect"), guessed: few("dialect_guessed", false),
		confidence: few[float32]("confidence", 0), run: few("run_id", ""), statements: in[string]("statements"),
		givenColumns: few("columns", ""), steps: in[[]byte]("steps"), mapped: few("flink", ""),
	}
	b.columns = append(b.list(), &b.version, &b.partition, &b.at, &b.kind, &b.taskName, &b.dialect, &b.guessed, &b.confidence, &b.run,
		&b.statements, &b.givenColumns, &b.steps, &b.mapped)
	return b
}

type runBlock struct {
	block
	task, version                   values[uint64]
	run, key, branch, failure, data values[string]
	state                           values[int8]
	partition                       values[uint16]
	at, occurred                    values[time.Time]
	started, ended                  values[*time.Time]
}

func newRunBlock() *runBlock {
	b := &runBlock{
		task: in[uint64]("task_id"), run: in[string]("run_id"), state: in[int8]("state"), version: in[uint64]("version"), partition: in[uint16]("partition"),
		at: in[time.Time]("at"), occurred: in[time.Time]("occurred_at"), key: in[string]("task"), branch: in[string]("branch"),
		started: in[*time.Time]("started"), ended: in[*time.Time]("ended"), failure: in[string]("error"), data: in[string]("data"),
	}
	b.columns = []column{&b.task, &b.run, &b.state, &b.version, &b.partition, &b.at, &b.occurred, &b.key, &b.branch, &b.started, &b.ended, &b.failure, &b.data}
	return b
}

type taskBlock struct {
	block
	task, opened, node                values[uint64]
	branch, key, nodeKey, kind, label values[string]
	owner, hash, definition           values[string]
	partition                         values[uint16]
	openedAt, occurred                values[time.Time]
	status                            values[int8]
	labels                            values[map[string]string]
}

func newTaskBlock() *taskBlock {
	b := &taskBlock{
		task: in[uint64]("task_id"), branch: in[string]("branch"), opened: in[uint64]("opened"), partition: in[uint16]("partition"),
		openedAt: in[time.Time]("opened_at"), occurred: in[time.Time]("occurred_at"), status: in[int8]("status"), key: in[string]("task"),
		node: in[uint64]("node_id"), nodeKey: in[string]("node"), kind: in[string]("kind"), label: in[string]("name"), owner: in[string]("owner"),
		labels: in[map[string]string]("labels"), hash: in[string]("hash"), definition: in[string]("definition"),
	}
	b.columns = []column{&b.task, &b.branch, &b.opened, &b.partition, &b.openedAt, &b.occurred, &b.status, &b.key, &b.node, &b.nodeKey, &b.kind,
		&b.label, &b.owner, &b.labels, &b.hash, &b.definition}
	return b
}

type tableBlock struct {
	block
	node, opened                             values[uint64]
	branch, derivedBy, key, renamedTo, kind  values[string]
	engine, owner, description, hash, source values[string]
	openedAt                                 values[time.Time]
	status                                   values[int8]
	names, types, comments                   values[[]string]
	masked                                   values[[]bool]
	known                                    values[bool]
}

func newTableBlock() *tableBlock {
	b := &tableBlock{
		node: in[uint64]("node_id"), branch: in[string]("branch"), derivedBy: in[string]("derived_by"), opened: in[uint64]("opened"),
		openedAt: in[time.Time]("opened_at"), status: in[int8]("status"), key: in[string]("key"), renamedTo: in[string]("renamed_to"),
		kind: in[string]("kind"), engine: in[string]("engine"), owner: in[string]("owner"), description: in[string]("description"),
		names: in[[]string]("column_names"), types: in[[]string]("column_types"), masked: in[[]bool]("column_masked"), comments: in[[]string]("column_comments"),
		known: in[bool]("columns_known"), hash: in[string]("hash"), source: in[string]("definition"),
	}
	b.columns = []column{&b.node, &b.branch, &b.derivedBy, &b.opened, &b.openedAt, &b.status, &b.key, &b.renamedTo, &b.kind, &b.engine, &b.owner,
		&b.description, &b.names, &b.types, &b.masked, &b.comments, &b.known, &b.hash, &b.source}
	return b
}

type sourceBlock struct {
	block
	id, label, engine, hash, definition values[string]
	opened                              values[uint64]
	openedAt                            values[time.Time]
	status                              values[int8]
	addresses                           values[[]string]
	catalogs                            values[map[string]string]
}

func newSourceBlock() *sourceBlock {
	b := &sourceBlock{
		id: in[string]("id"), opened: in[uint64]("opened"), openedAt: in[time.Time]("opened_at"), status: in[int8]("status"), label: in[string]("name"),
		engine: in[string]("engine"), addresses: in[[]string]("addresses"), catalogs: in[map[string]string]("catalogs"), hash: in[string]("hash"), definition: in[string]("definition"),
	}
	b.columns = []column{&b.id, &b.opened, &b.openedAt, &b.status, &b.label, &b.engine, &b.addresses, &b.catalogs, &b.hash, &b.definition}
	return b
}

type mappingBlock struct {
	block
	id, fromSpace, fromPrefix, toSpace, toPrefix, who, why, hash values[string]
	opened                                                       values[uint64]
	openedAt                                                     values[time.Time]
	status                                                       values[int8]
	exact, ignoreCase                                            values[bool]
}

func newMappingBlock() *mappingBlock {
	b := &mappingBlock{
		id: in[string]("id"), opened: in[uint64]("opened"), openedAt: in[time.Time]("opened_at"), status: in[int8]("status"),
		fromSpace: in[string]("from_namespace"), fromPrefix: in[string]("from_prefix"), toSpace: in[string]("to_namespace"), toPrefix: in[string]("to_prefix"),
		exact: in[bool]("exact"), ignoreCase: in[bool]("ignore_case"), who: in[string]("who"), why: in[string]("why"), hash: in[string]("hash"),
	}
	b.columns = []column{&b.id, &b.opened, &b.openedAt, &b.status, &b.fromSpace, &b.fromPrefix, &b.toSpace, &b.toPrefix, &b.exact, &b.ignoreCase, &b.who, &b.why, &b.hash}
	return b
}

type ownerBlock struct {
	block
	ownerColumns
	task, hash                    values[string]
	partition, fromPartition      values[uint16]
	fromGeneration, defGeneration values[uint16]
	version                       values[uint64]
	status                        values[int8]
	fromOffset, defOffset         values[int64]
	parser, edges                 values[uint32]
	useKeys, useHashes            values[[]string]
	updated                       values[time.Time]
	state                         values[[]byte]
}

func newOwnerBlock() *ownerBlock {
	b := &ownerBlock{
		ownerColumns: newOwnerColumns(), task: in[string]("task"), partition: in[uint16]("partition"), version: in[uint64]("version"), status: in[int8]("status"),
		fromGeneration: in[uint16]("from_generation"), fromPartition: in[uint16]("from_partition"), fromOffset: in[int64]("from_offset"),
		defGeneration: in[uint16]("definitions_generation"), defOffset: in[int64]("definitions_offset"), parser: in[uint32]("parser"), hash: in[string]("hash"),
		useKeys: in[[]string]("use_keys"), useHashes: in[[]string]("use_hashes"), edges: in[uint32]("edge_count"), updated: in[time.Time]("updated_at"), state: in[[]byte]("state"),
	}
	b.columns = append(b.list(), &b.task, &b.partition, &b.version, &b.status, &b.fromGeneration, &b.fromPartition, &b.fromOffset, &b.defGeneration,
		&b.defOffset, &b.parser, &b.hash, &b.useKeys, &b.useHashes, &b.edges, &b.updated, &b.state)
	return b
}
