// Generated from schemas/api by `npm run types`. Do not edit.
export interface paths {
    "/api/v1/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The graph around a node of any family */
        get: operations["getGraph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/expand": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What one click on + adds to a canvas
         * @description Three layers for an ordinary +, one for a reverse +; at most `per_node` new
         *     children of a node and `limit` new nodes in all, nearest first, the rest as
         *     counts in `more`. Nodes that are shown already come as ends of edges only.
         */
        post: operations["expandGraph"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/closure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything up or down, as a list with least distances
         * @description Direction must be `up` or `down`. The depth is unlimited unless named. With `limit=0` only the counts are answered.
         */
        get: operations["getClosure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/paths": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ways from A to B
         * @description The graph of every node that lies on a shortest way from A to B, and up to
         *     `limit` of those ways listed. `slack` lets ways be that many hops longer.
         */
        get: operations["getPaths"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/impact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What breaks if this node, this column or this SQL changes */
        post: operations["postImpact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Difference of two branches, or of two times
         * @description The union of both sides, each node and edge marked `added`, `removed` or
         *     `unchanged`. With `node` only what lies within `depth` of it on either side is
         *     compared, and unchanged parts are listed; without it only changes are. `limit`
         *     is the number of edges a page; with 0 only the counts are answered. Two times
         *     are compared everywhere as far as the past graph is not too large to be read.
         */
        get: operations["getDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find nodes and columns by part of their name */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/node": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All that is known of one node
         * @description Columns, branches, transactions, runs and, of a task, its SQL with statements and steps.
         */
        get: operations["getNode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/edge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who makes an edge, from which SQL, since when */
        get: operations["getEdge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/edges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add an edge by hand
         * @description Answers when the edge is to be seen in answers. An edge that is there by hand already is refused with 409 `EdgeExists`, one from a node to itself with 400 `SelfEdge`.
         */
        post: operations["addEdge"];
        /**
         * Remove what was added by hand
         * @description A parsed edge cannot be removed (409 `EdgeParsed`, naming the tasks that make it).
         */
        delete: operations["removeEdge"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sql": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lineage of SQL that is not stored */
        post: operations["postSQL"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How much there is, for the entry page */
        get: operations["getCounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Latest changes of lineage, newest first */
        get: operations["getRecent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/unparsed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Statements that could not be parsed */
        get: operations["getUnparsed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lineage/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Branches that lineage is defined on, with their fallback chains */
        get: operations["getLineageBranches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Registered sources and what each is the same as */
        get: operations["listSources"];
        put?: never;
        /** Register a source */
        post: operations["addSource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sources/mappings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that two sources, or parts of them, are one */
        post: operations["mergeSources"];
        /** Take one mapping back */
        delete: operations["unmergeSources"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sources/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Why two names are, or are not, one node */
        get: operations["whySources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The graph around a node, or all of it, as a file */
        get: operations["exportGraph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @default table
         * @enum {string}
         */
        Level: "table" | "column";
        /**
         * @default both
         * @enum {string}
         */
        Direction: "up" | "down" | "both";
        /**
         * @default all
         * @enum {string}
         */
        Flow: "all" | "direct" | "indirect";
        /**
         * @default realtime
         * @enum {string}
         */
        TasksShown: "realtime" | "all";
        /** @enum {string} */
        Side: "up" | "down";
        /** @enum {string} */
        Change: "added" | "removed" | "unchanged";
        Error: {
            code: string;
            message: string;
            details?: {
                /** @description Names like the one that was not found */
                near?: string[];
                /** @description Keys of the tasks that make an edge */
                tasks?: string[];
                parameter?: string;
                limit?: number;
            };
        };
        Node: {
            /** @description Canonical key */
            key: string;
            /** @enum {string} */
            family: "dataset" | "task" | "api" | "metric" | "tag" | "dashboard";
            /** @description table, view, materialized_view, topic, file_set, stage, model, batch, realtime, service; else the family */
            kind: string;
            name: string;
            namespace: string;
            /** @description As people write it, `source.db.table` */
            display: string;
            /** @description Name of the registered source */
            source?: string;
            /** @description Engine, such as `mysql`, `hive`, `kafka` */
            platform?: string;
            /** @description Other keys that are this node */
            aliases?: string[];
            /** @description Exact least number of hops from the centre */
            distance: number;
            /**
             * @description -1 upstream, 0 the centre or both sides, 1 downstream
             * @enum {integer}
             */
            side: -1 | 0 | 1;
            /** @description Hops against the flow; absent if not reached that way */
            up_distance?: number;
            /** @description Hops with the flow; absent if not reached that way */
            down_distance?: number;
            /** @description Neighbours upstream in all */
            upstream_count: number;
            /** @description Neighbours downstream in all */
            downstream_count: number;
            /** @description Has neighbours on its reverse side that are not in this answer */
            is_open: boolean;
            centre?: boolean;
            /** @description Has a masked column or gets one's value by direct edges */
            with_masked?: boolean;
            /** @description Branch that the node's definition was read from */
            branch?: string;
            from_fallback?: boolean;
            /** @description A job spec on the asked branch or its fallbacks produces it */
            has_job_spec?: boolean;
            has_job_spec_on_master?: boolean;
            temporary?: boolean;
            can_edit?: boolean;
            /** @description Lies on a cycle of this answer, or points to itself */
            cycle?: boolean;
            /** @description Statements of this task that could not be parsed */
            unparsed?: number;
            column_count?: number;
            columns?: components["schemas"]["Column"][];
            flink?: components["schemas"]["Flink"];
            change?: components["schemas"]["Change"];
        };
        Column: {
            name: string;
            type?: string;
            comment?: string;
            /** @description Hops from the centre column; absent outside column level */
            distance?: number;
            /** @enum {integer} */
            side?: -1 | 0 | 1;
            upstream_count?: number;
            downstream_count?: number;
            is_open?: boolean;
            /** @description Declared masked */
            masked?: boolean;
            /** @description Masked, or gets a masked value by direct edges */
            with_masked?: boolean;
            /** @description One of its edges was added by hand */
            with_manual?: boolean;
            centre?: boolean;
            change?: components["schemas"]["Change"];
        };
        /** @description Mapping tables of a FlinkSQL task */
        Flink: {
            /** @description parent_flink_infos */
            sources: components["schemas"]["FlinkTable"][];
            /** @description son_flink_infos */
            results: components["schemas"]["FlinkTable"][];
        };
        FlinkTable: {
            name: string;
            connector?: string;
            /** @description Key of the physical table */
            physical: string;
            display?: string;
        };
        Edge: {
            from: string;
            to: string;
            from_column?: string;
            /** @description Absent for an indirect edge that reaches all columns */
            to_column?: string;
            /** @enum {string} */
            level: "table" | "column";
            direct: boolean;
            /**
             * @description `data` between datasets, `task` between a dataset and a task put in between, `bridge` over nodes that the kinds filter hides
             * @enum {string}
             */
            kind: "data" | "task" | "bridge";
            /** @description Nodes that a bridge stands for */
            hidden?: number;
            /** @description identity, transformation, aggregation, masking; filter, join, group_by, sort, window, conditional */
            via?: string[];
            /** @description parsed, declared, observed, manual */
            origins: string[];
            with_manual: boolean;
            /** @description Has a manual part that may be removed */
            can_delete: boolean;
            manual?: components["schemas"]["ManualEdge"][];
            /** @description Keys of the tasks that make it */
            tasks?: string[];
            /** @description Statement numbers in the task, at edges of kind `task` and those made by one task */
            statements?: number[];
            branches?: string[];
            /** @description A star whose columns are not known */
            unexpanded?: boolean;
            cycle?: boolean;
            change?: components["schemas"]["Change"];
        };
        ManualEdge: {
            who: string;
            why?: string;
            /** Format: date-time */
            at?: string;
            branch?: string;
        };
        /** @description Present when a page is full */
        Truncated: {
            /** @enum {string} */
            reason: "nodes" | "edges" | "deadline";
            /** @description Nodes reached and not in this page */
            nodes_left?: number;
            edges_left?: number;
            limit?: number;
        };
        /** @description Neighbours of a node that an expand left out */
        More: {
            node: string;
            side: components["schemas"]["Side"];
            count: number;
            /** @description Hand it to expand to get the next ones */
            cursor?: string;
        };
        SQLError: {
            /** @description Key of the task */
            task?: string;
            branch?: string;
            /** @description syntax, unresolved, ambiguous, template, unsupported, limit */
            kind: string;
            statement?: number;
            line?: number;
            column?: number;
            message: string;
            /** @description The statement's text */
            sql?: string;
        };
        Graph: {
            centres: components["schemas"]["Centre"][];
            level?: components["schemas"]["Level"];
            nodes: components["schemas"]["Node"][];
            edges: components["schemas"]["Edge"][];
            more?: components["schemas"]["More"][];
            truncated?: components["schemas"]["Truncated"];
            cursor?: string;
            /** @description Statements that could not be parsed in the tasks passed */
            errors?: components["schemas"]["SQLError"][];
            position: string;
            branch: string;
            chain: string[];
            as_of?: string;
        };
        Centre: {
            key: string;
            column?: string;
            /** @description The task that was asked about, when its result tables are the centres */
            task?: string;
        };
        ExpandRequest: {
            node: string;
            side: components["schemas"]["Side"];
            /** @default 3 */
            layers?: number;
            /** @description Keys of the nodes on the canvas */
            shown?: string[];
            /** @description The canvas's centre, for distance and side */
            centre?: string;
            /** @description At column level, the columns of the node to follow; all if absent */
            columns?: string[];
            /** @description At table level, the column edges of the nodes of the answer as well */
            with_columns?: boolean;
            level?: components["schemas"]["Level"];
            flow?: components["schemas"]["Flow"];
            branch?: string;
            fallback?: string[];
            as_of?: string;
            kinds?: string[];
            tasks?: components["schemas"]["TasksShown"];
            temporary?: boolean;
            /** @default 300 */
            limit?: number;
            /** @default 50 */
            per_node?: number;
            cursor?: string;
            min_position?: string;
        };
        ClosureNode: {
            key: string;
            family: string;
            kind: string;
            display: string;
            column?: string;
            distance: number;
            with_masked?: boolean;
        };
        Closure: {
            centre: string;
            column?: string;
            direction?: components["schemas"]["Direction"];
            nodes: components["schemas"]["ClosureNode"][];
            /** @description Nodes (or columns) reached in all, whatever the page holds */
            total: number;
            /** @description Nodes at distance 1, 2, … */
            by_distance: number[];
            by_kind: {
                [key: string]: number;
            };
            truncated?: components["schemas"]["Truncated"];
            cursor?: string;
            errors?: components["schemas"]["SQLError"][];
            position: string;
            branch: string;
            chain: string[];
            as_of?: string;
        };
        Paths: {
            found: boolean;
            /** @description Hops of a shortest way */
            length?: number;
            /** @description Some ways, each the nodes in order */
            ways?: components["schemas"]["Centre"][][];
            /** @description Ways in all within the length asked for; at most 1,000,000 are counted */
            ways_total?: number;
            graph: components["schemas"]["Graph"];
        };
        /** @description Exactly one of `node` (perhaps with `column`) and `sql` */
        ImpactRequest: {
            node?: string;
            column?: string;
            sql?: components["schemas"]["SQLRequest"];
            /** @description With `sql`, the task whose SQL it replaces: what only its old SQL made is lost */
            task?: string;
            /** @default -1 */
            depth?: number;
            flow?: components["schemas"]["Flow"];
            branch?: string;
            fallback?: string[];
            kinds?: string[];
            limit?: number;
            cursor?: string;
            min_position?: string;
        };
        Impact: {
            breaks: boolean;
            total: number;
            affected: components["schemas"]["ImpactNode"][];
            /** @description Keys of the tasks that read what changes */
            tasks?: string[];
            /** @description What people call the keys in because, tasks, lost and gained */
            display?: {
                [key: string]: string;
            };
            /** @description Edges that the changed SQL no longer makes */
            lost?: components["schemas"]["Edge"][];
            gained?: components["schemas"]["Edge"][];
            /** @description Of the changed SQL; while there are any, what it breaks is not known in full */
            errors?: components["schemas"]["SQLError"][];
            truncated?: components["schemas"]["Truncated"];
            cursor?: string;
            position: string;
            branch?: string;
            chain?: string[];
        };
        ImpactNode: {
            key: string;
            family: string;
            kind: string;
            display: string;
            distance: number;
            columns?: string[];
            /** @description A value comes along, not only a filter or a join */
            direct: boolean;
            /** @description The changed column or edge that reaches it */
            because?: string;
            tasks?: string[];
        };
        Diff: {
            base: components["schemas"]["DiffSide"];
            head: components["schemas"]["DiffSide"];
            nodes: components["schemas"]["Node"][];
            edges: components["schemas"]["Edge"][];
            /** @description Edges */
            added: number;
            removed: number;
            /** @description Counted only when a node is named */
            unchanged: number;
            truncated?: components["schemas"]["Truncated"];
            cursor?: string;
        };
        DiffSide: {
            branch: string;
            chain: string[];
            as_of?: string;
            position: string;
        };
        SearchResult: {
            hits: components["schemas"]["SearchHit"][];
            /** @description There are further hits */
            more?: boolean;
            position: string;
        };
        SearchHit: {
            key: string;
            family: string;
            kind: string;
            display: string;
            name?: string;
            namespace?: string;
            column?: string;
            score?: number;
            aliases?: string[];
        };
        NodeDetails: {
            node: components["schemas"]["Node"];
            owner?: string;
            labels?: {
                [key: string]: string;
            };
            comment?: string;
            /** @description Every key that is this node, with the canonical one first */
            keys?: string[];
            producers?: components["schemas"]["TaskRef"][];
            consumers?: components["schemas"]["TaskRef"][];
            /** @description More tasks make it than are listed */
            more_producers?: boolean;
            /** @description More tasks read it than are listed */
            more_consumers?: boolean;
            branches?: components["schemas"]["NodeBranch"][];
            transactions?: components["schemas"]["Transaction"][];
            runs?: components["schemas"]["Run"][];
            sql?: components["schemas"]["TaskSQL"];
            errors?: components["schemas"]["SQLError"][];
            /** Format: date-time */
            first_seen?: string;
            /** Format: date-time */
            last_seen?: string;
            position: string;
        };
        TaskRef: {
            key: string;
            kind: string;
            name: string;
            branch?: string;
            origin?: string;
            statements?: number[];
        };
        NodeBranch: {
            name: string;
            parent?: string;
            has_definition?: boolean;
            has_job_spec?: boolean;
            transaction?: string;
        };
        Transaction: {
            id: string;
            branch?: string;
            type?: string;
            state: string;
            by?: string;
            /** Format: date-time */
            opened?: string;
            /** Format: date-time */
            closed?: string;
            /** Format: int64 */
            rows?: number;
            /** Format: int64 */
            bytes?: number;
        };
        Run: {
            id: string;
            task?: string;
            branch?: string;
            state: string;
            /** Format: date-time */
            started?: string;
            /** Format: date-time */
            ended?: string;
            error?: string;
        };
        TaskSQL: {
            text: string;
            dialect: string;
            dialect_guessed?: boolean;
            branch?: string;
            parser?: number;
            statements: components["schemas"]["Statement"][];
            steps?: components["schemas"]["Steps"];
        };
        Statement: {
            /** @description From 1, in the order of the script */
            n: number;
            kind: string;
            line?: number;
            column?: number;
            end_line?: number;
            text?: string;
            reads?: string[];
            writes?: string[];
        };
        /** @description A shared graph of the expressions between columns, walked when asked for */
        Steps: {
            nodes: components["schemas"]["Step"][];
            /** @description Pairs of step numbers, from and to */
            edges: number[][];
        };
        Step: {
            n: number;
            kind: string;
            label?: string;
            /** @description For a step that is a stored column, its table and name */
            column?: string;
            statement?: number;
            line?: number;
            /** @description Column in that line */
            at?: number;
            text?: string;
        };
        EdgeDetails: {
            edge: components["schemas"]["Edge"];
            contributors: components["schemas"]["Contributor"][];
            position: string;
        };
        Contributor: {
            task?: string;
            person?: string;
            why?: string;
            run?: string;
            origin: string;
            branch: string;
            via?: string[];
            statements?: components["schemas"]["Statement"][];
            steps?: components["schemas"]["Steps"];
            /** Format: date-time */
            first_seen?: string;
            /** Format: date-time */
            last_seen?: string;
            closed?: boolean;
            last_run?: components["schemas"]["Run"];
        };
        EdgeChange: {
            from: string;
            from_column?: string;
            to: string;
            to_column?: string;
            /** @default master */
            branch?: string;
            /** @description Taken from the caller's credentials where there are any */
            who?: string;
            why?: string;
        };
        Changed: {
            /** @description Where the event stands in the log */
            position: string;
            /** @description False when the wait for it to be seen ended first; it will be */
            visible: boolean;
            edge?: components["schemas"]["Edge"];
            /** @description Such as that the edge closes a cycle */
            warnings?: string[];
        };
        SQLRequest: {
            sql: string;
            dialect?: string;
            default_source?: string;
            default_catalog?: string;
            default_schema?: string;
            branch?: string;
            /** @description Columns of tables; those the server knows are used beside them */
            schema?: {
                [key: string]: string[];
            };
            keep_temporary?: boolean;
            steps?: boolean;
        };
        SQLResult: {
            statements: number;
            dialect?: string;
            dialect_guessed?: boolean;
            reads: string[];
            writes: string[];
            tables: components["schemas"]["FromTo"][];
            columns: components["schemas"]["FromTo"][];
            indirect: components["schemas"]["FromTo"][];
            physical: {
                [key: string]: string;
            };
            errors: components["schemas"]["SQLError"][];
            statement_list?: components["schemas"]["Statement"][];
            steps?: components["schemas"]["Steps"];
        };
        FromTo: {
            from: string;
            to: string;
        };
        Counts: {
            /** @description By kind */
            nodes: {
                [key: string]: number;
            };
            /** @description By level: `table`, `column_direct`, `column_indirect` */
            edges: {
                [key: string]: number;
            };
            columns: number;
            branches?: number;
            sources?: number;
            unparsed_statements: number;
            unparsed_tasks: number;
            position: string;
        };
        Recent: {
            changes: components["schemas"]["RecentChange"][];
            cursor?: string;
        };
        RecentChange: {
            /** Format: date-time */
            at: string;
            node: string;
            display?: string;
            kind?: string;
            branch?: string;
            origin?: string;
            /** @description defined, changed, removed, edge_added, edge_removed */
            change: string;
            /** @description Edges that it opened */
            opened?: number;
            closed?: number;
            who?: string;
        };
        Unparsed: {
            errors: components["schemas"]["SQLError"][];
            total: number;
            cursor?: string;
        };
        LineageBranches: {
            branches: components["schemas"]["LineageBranch"][];
        };
        LineageBranch: {
            name: string;
            chain: string[];
            /** @description What is defined on it; not counted for master */
            definitions?: number;
        };
        Sources: {
            sources: components["schemas"]["Source"][];
            mappings: components["schemas"]["Mapping"][];
        };
        Source: {
            id: string;
            name: string;
            engine: string;
            addresses: string[];
            namespace?: string;
            /** @description Namespace that its nodes are shown under */
            canonical: string;
            same_as?: string[];
            nodes?: number;
        };
        SourceChange: {
            id: string;
            name?: string;
            engine: string;
            addresses: string[];
            who?: string;
        };
        Mapping: {
            id?: string;
            namespace: string;
            prefix?: string;
            /** @description The prefixes are whole names: one dataset is mapped, and nothing under it */
            exact?: boolean;
            /** @description Names are compared with the prefix without case */
            ignore_case?: boolean;
            canonical_namespace: string;
            canonical_prefix?: string;
            who?: string;
            why?: string;
        };
        SourceWhy: {
            same: boolean;
            a: components["schemas"]["KeyTrace"];
            b: components["schemas"]["KeyTrace"];
            explanation?: string;
        };
        KeyTrace: {
            key: string;
            canonical: string;
            steps: components["schemas"]["TraceStep"][];
        };
        /** @description One rule that led from a key to another */
        TraceStep: {
            /** @description source (its id stands for its address), address (sources that share one are one) or mapping */
            rule: string;
            from: string;
            to: string;
            /** @description Id of the source or mapping */
            by?: string;
            who?: string;
        };
    };
    responses: {
        /** @description A flat graph */
        GraphAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Graph"];
            };
        };
        /** @description The event is in the log, and answers show its effect */
        EdgeChanged: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Changed"];
            };
        };
        /** @description What was wrong */
        ErrorAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description Key `family|namespace|name`, or a name as people write it, `source.db.table` */
        NodeParam: string;
        /** @description A column of the node; sets the level to `column` */
        ColumnParam: string;
        LevelParam: components["schemas"]["Level"];
        DirectionParam: components["schemas"]["Direction"];
        /** @description Hops each way; -1 is unlimited; 1 if not named */
        DepthParam: number;
        /** @description Which column edges to follow */
        FlowParam: components["schemas"]["Flow"];
        /** @description `master` if not named */
        BranchParam: string;
        /** @description Branches to fall back on, in order. If none is named: those of the latest build on the branch that named any, else master */
        FallbackParam: string[];
        /** @description An RFC 3339 time or a log position */
        AsOfParam: string;
        /** @description Kinds or families to show, such as `table`, `view`, `realtime`, `api`; others are passed through, and bridged by edges that count them */
        KindsParam: string[];
        /** @description Which tasks are put in between; realtime ones always are */
        TasksParam: components["schemas"]["TasksShown"];
        /** @description Show the temporary tables of scripts instead of seeing through them */
        TemporaryParam: boolean;
        /** @description Nodes a page; at most the server's limit */
        LimitParam: number;
        CursorParam: string;
        /** @description Wait until the answer reflects at least this log position */
        MinPositionParam: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getGraph: {
        parameters: {
            query: {
                /** @description Key `family|namespace|name`, or a name as people write it, `source.db.table` */
                node: components["parameters"]["NodeParam"];
                /** @description A column of the node; sets the level to `column` */
                column?: components["parameters"]["ColumnParam"];
                level?: components["parameters"]["LevelParam"];
                direction?: components["parameters"]["DirectionParam"];
                /** @description Hops each way; -1 is unlimited; 1 if not named */
                depth?: components["parameters"]["DepthParam"];
                /** @description Which column edges to follow */
                flow?: components["parameters"]["FlowParam"];
                /** @description `master` if not named */
                branch?: components["parameters"]["BranchParam"];
                /** @description Branches to fall back on, in order. If none is named: those of the latest build on the branch that named any, else master */
                fallback?: components["parameters"]["FallbackParam"];
                /** @description An RFC 3339 time or a log position */
                as_of?: components["parameters"]["AsOfParam"];
                /** @description Kinds or families to show, such as `table`, `view`, `realtime`, `api`; others are passed through, and bridged by edges that count them */
                kinds?: components["parameters"]["KindsParam"];
                /** @description Which tasks are put in between; realtime ones always are */
                tasks?: components["parameters"]["TasksParam"];
                /** @description Show the temporary tables of scripts instead of seeing through them */
                temporary?: components["parameters"]["TemporaryParam"];
                /** @description Nodes a page; at most the server's limit */
                limit?: components["parameters"]["LimitParam"];
                cursor?: components["parameters"]["CursorParam"];
                /** @description Wait until the answer reflects at least this log position */
                min_position?: components["parameters"]["MinPositionParam"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["GraphAnswer"];
            default: components["responses"]["ErrorAnswer"];
        };
    };
    expandGraph: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExpandRequest"];
            };
        };
        responses: {
            200: components["responses"]["GraphAnswer"];
            default: components["responses"]["ErrorAnswer"];
        };
    };
    getClosure: {
        parameters: {
            query: {
                /** @description Key `family|namespace|name`, or a name as people write it, `source.db.table` */
                node: components["parameters"]["NodeParam"];
                /** @description A column of the node; sets the level to `column` */
                column?: components["parameters"]["ColumnParam"];
                level?: components["parameters"]["LevelParam"];
                direction?: components["parameters"]["DirectionParam"];
                /** @description Hops each way; -1 is unlimited; 1 if not named */
                depth?: components["parameters"]["DepthParam"];
                /** @description Which column edges to follow */
                flow?: components["parameters"]["FlowParam"];
                /** @description `master` if not named */
                branch?: components["parameters"]["BranchParam"];
                /** @description Branches to fall back on, in order. If none is named: those of the latest build on the branch that named any, else master */
                fallback?: components["parameters"]["FallbackParam"];
                /** @description An RFC 3339 time or a log position */
                as_of?: components["parameters"]["AsOfParam"];
                /** @description Kinds or families to show, such as `table`, `view`, `realtime`, `api`; others are passed through, and bridged by edges that count them */
                kinds?: components["parameters"]["KindsParam"];
                /** @description Show the temporary tables of scripts instead of seeing through them */
                temporary?: components["parameters"]["TemporaryParam"];
                /** @description Nodes a page; at most the server's limit */
                limit?: components["parameters"]["LimitParam"];
                cursor?: components["parameters"]["CursorParam"];
                /** @description Wait until the answer reflects at least this log position */
                min_position?: components["parameters"]["MinPositionParam"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reached nodes, nearest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Closure"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    getPaths: {
        parameters: {
            query: {
                from: string;
                from_column?: string;
                to: string;
                to_column?: string;
                slack?: number;
                /** @description Hops each way; -1 is unlimited; 1 if not named */
                depth?: components["parameters"]["DepthParam"];
                /** @description Which column edges to follow */
                flow?: components["parameters"]["FlowParam"];
                /** @description `master` if not named */
                branch?: components["parameters"]["BranchParam"];
                /** @description Branches to fall back on, in order. If none is named: those of the latest build on the branch that named any, else master */
                fallback?: components["parameters"]["FallbackParam"];
                /** @description An RFC 3339 time or a log position */
                as_of?: components["parameters"]["AsOfParam"];
                /** @description Which tasks are put in between; realtime ones always are */
                tasks?: components["parameters"]["TasksParam"];
                /** @description Show the temporary tables of scripts instead of seeing through them */
                temporary?: components["parameters"]["TemporaryParam"];
                /** @description Nodes a page; at most the server's limit */
                limit?: components["parameters"]["LimitParam"];
                /** @description Wait until the answer reflects at least this log position */
                min_position?: components["parameters"]["MinPositionParam"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ways */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Paths"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    postImpact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImpactRequest"];
            };
        };
        responses: {
            /** @description What is affected; `breaks` says whether anything is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Impact"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    getDiff: {
        parameters: {
            query?: {
                node?: string;
                base_branch?: string;
                base_fallback?: string[];
                base_as_of?: string;
                /** @description `master` if not named */
                branch?: components["parameters"]["BranchParam"];
                /** @description Branches to fall back on, in order. If none is named: those of the latest build on the branch that named any, else master */
                fallback?: components["parameters"]["FallbackParam"];
                /** @description An RFC 3339 time or a log position */
                as_of?: components["parameters"]["AsOfParam"];
                level?: components["parameters"]["LevelParam"];
                direction?: components["parameters"]["DirectionParam"];
                /** @description Hops each way; -1 is unlimited; 1 if not named */
                depth?: components["parameters"]["DepthParam"];
                /** @description Which column edges to follow */
                flow?: components["parameters"]["FlowParam"];
                /** @description Nodes a page; at most the server's limit */
                limit?: components["parameters"]["LimitParam"];
                cursor?: components["parameters"]["CursorParam"];
                /** @description Wait until the answer reflects at least this log position */
                min_position?: components["parameters"]["MinPositionParam"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The union of both graphs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diff"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    search: {
        parameters: {
            query: {
                q: string;
                /** @description Kinds or families to show, such as `table`, `view`, `realtime`, `api`; others are passed through, and bridged by edges that count them */
                kinds?: components["parameters"]["KindsParam"];
                /** @description Search column names too */
                columns?: boolean;
                limit?: number;
                /** @description Wait until the answer reflects at least this log position */
                min_position?: components["parameters"]["MinPositionParam"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Best first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResult"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    getNode: {
        parameters: {
            query: {
                /** @description Key `family|namespace|name`, or a name as people write it, `source.db.table` */
                node: components["parameters"]["NodeParam"];
                /** @description `master` if not named */
                branch?: components["parameters"]["BranchParam"];
                /** @description Branches to fall back on, in order. If none is named: those of the latest build on the branch that named any, else master */
                fallback?: components["parameters"]["FallbackParam"];
                /** @description An RFC 3339 time or a log position */
                as_of?: components["parameters"]["AsOfParam"];
                /** @description Wait until the answer reflects at least this log position */
                min_position?: components["parameters"]["MinPositionParam"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The node */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeDetails"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    getEdge: {
        parameters: {
            query: {
                from: string;
                from_column?: string;
                to: string;
                to_column?: string;
                /** @description `master` if not named */
                branch?: components["parameters"]["BranchParam"];
                /** @description Branches to fall back on, in order. If none is named: those of the latest build on the branch that named any, else master */
                fallback?: components["parameters"]["FallbackParam"];
                /** @description An RFC 3339 time or a log position */
                as_of?: components["parameters"]["AsOfParam"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The edge with its contributors */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeDetails"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    addEdge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EdgeChange"];
            };
        };
        responses: {
            200: components["responses"]["EdgeChanged"];
            default: components["responses"]["ErrorAnswer"];
        };
    };
    removeEdge: {
        parameters: {
            query: {
                from: string;
                from_column?: string;
                to: string;
                to_column?: string;
                branch?: string;
                who?: string;
                why?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["EdgeChanged"];
            default: components["responses"]["ErrorAnswer"];
        };
    };
    postSQL: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SQLRequest"];
            };
        };
        responses: {
            /** @description What the SQL reads, writes and derives */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SQLResult"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    getCounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Counts"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    getRecent: {
        parameters: {
            query?: {
                node?: string;
                limit?: number;
                cursor?: components["parameters"]["CursorParam"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Changes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recent"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    getUnparsed: {
        parameters: {
            query?: {
                /** @description Only those of this task */
                node?: string;
                kind?: string;
                limit?: number;
                cursor?: components["parameters"]["CursorParam"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Errors, by task */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unparsed"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    getLineageBranches: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Branches */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LineageBranches"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    listSources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sources */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sources"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    addSource: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourceChange"];
            };
        };
        responses: {
            200: components["responses"]["EdgeChanged"];
            default: components["responses"]["ErrorAnswer"];
        };
    };
    mergeSources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Mapping"];
            };
        };
        responses: {
            200: components["responses"]["EdgeChanged"];
            default: components["responses"]["ErrorAnswer"];
        };
    };
    unmergeSources: {
        parameters: {
            query: {
                id: string;
                who?: string;
                why?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["EdgeChanged"];
            default: components["responses"]["ErrorAnswer"];
        };
    };
    whySources: {
        parameters: {
            query: {
                a: string;
                b: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each step from either name to its canonical key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceWhy"];
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
    exportGraph: {
        parameters: {
            query: {
                format: "json" | "csv" | "dot" | "openlineage";
                node?: string;
                level?: components["parameters"]["LevelParam"];
                direction?: components["parameters"]["DirectionParam"];
                /** @description Hops each way; -1 is unlimited; 1 if not named */
                depth?: components["parameters"]["DepthParam"];
                /** @description Which column edges to follow */
                flow?: components["parameters"]["FlowParam"];
                /** @description `master` if not named */
                branch?: components["parameters"]["BranchParam"];
                /** @description Branches to fall back on, in order. If none is named: those of the latest build on the branch that named any, else master */
                fallback?: components["parameters"]["FallbackParam"];
                /** @description An RFC 3339 time or a log position */
                as_of?: components["parameters"]["AsOfParam"];
                /** @description Kinds or families to show, such as `table`, `view`, `realtime`, `api`; others are passed through, and bridged by edges that count them */
                kinds?: components["parameters"]["KindsParam"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /**
             * @description `json`, one object a line; `csv`, cells that a spreadsheet would take for a
             *     formula are prefixed; `dot` for Graphviz; `openlineage`, one job event a line.
             */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            default: components["responses"]["ErrorAnswer"];
        };
    };
}
