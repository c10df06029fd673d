// Generated from schemas/api by `npm run types`. Do not edit.
export interface paths {
    "/api/v1/spaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Spaces that have datasets or job specs */
        get: operations["listSpaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/datasets": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        /** Datasets of a space, with the job spec that makes each on a branch */
        get: operations["listDatasets"];
        put?: never;
        /** Make a dataset without branches */
        post: operations["createDataset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        /** Branches of a dataset */
        get: operations["listBranches"];
        put?: never;
        /** Make a root branch, or a child of a branch or of a transaction */
        post: operations["createBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/branches/delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove a branch's pointer; its transactions stay */
        post: operations["deleteBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/branches/restore": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Bring back a branch deleted since the last retention sweep */
        post: operations["restoreBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/protections": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        /** What is protected */
        get: operations["listProtections"];
        put?: never;
        /** Guard a branch against deletion and foreign publishers */
        post: operations["protectBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/protections/remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take a protection away */
        post: operations["unprotectBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/sweep": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the time in which branches deleted until now can be restored */
        post: operations["sweep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        /** History of a branch, newest first */
        get: operations["listTransactions"];
        put?: never;
        /** Start a transaction on a branch; without an id, one is made */
        post: operations["openTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/transactions/{transaction}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
                transaction: components["parameters"]["TransactionID"];
            };
            cookie?: never;
        };
        /** A transaction with its inputs and the branches that show it */
        get: operations["getTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/transactions/{transaction}/files": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
                transaction: components["parameters"]["TransactionID"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add a part of a long manifest to an open transaction */
        post: operations["addFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/transactions/{transaction}/commit": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
                transaction: components["parameters"]["TransactionID"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Close a transaction so that it counts */
        post: operations["commitTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/transactions/{transaction}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
                transaction: components["parameters"]["TransactionID"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Close a transaction so that it never counts */
        post: operations["abortTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/view": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        /** Content of a dataset on a branch, now or at a position */
        get: operations["getView"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/job-specs": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        /** Job specs of a branch */
        get: operations["listJobSpecs"];
        put?: never;
        /** Publish, change and withdraw job specs of a branch in one step */
        post: operations["publishJobSpecs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a build would do; nothing changes */
        post: operations["planBuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/builds": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        /** Builds, newest first */
        get: operations["listBuilds"];
        put?: never;
        /** Build datasets on a branch; without an id, one is made */
        post: operations["requestBuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/builds/{build}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
                build: components["parameters"]["BuildID"];
            };
            cookie?: never;
        };
        /** A build with its jobs and attempts */
        get: operations["getBuild"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/builds/{build}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
                build: components["parameters"]["BuildID"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a build */
        post: operations["abortBuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/runner/claim": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a job to run
         * @description 204 if none is ready within `wait_seconds`. 421 if another process drives the space; ask that one.
         */
        post: operations["claim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/runner/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that an attempt goes on */
        post: operations["heartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/runner/finish": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Commit all outputs of a job */
        post: operations["finishAttempt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/runner/fail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End an attempt without success */
        post: operations["failAttempt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spaces/{space}/runner/stopped": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that an attempt was stopped because its build was aborted */
        post: operations["stopAttempt"];
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
        Error: {
            code: string;
            message: string;
            details?: {
                [key: string]: unknown;
            };
        };
        Written: {
            /** @description Id of the event. */
            id: string;
            partition: number;
            /**
             * Format: int64
             * @description Where the event that was judged stands in tributary.catalog.
             */
            offset: number;
            /** @enum {string} */
            state: "written" | "accepted";
            /** @description It had been sent before; this is the first outcome. */
            repeat?: boolean;
            /** @description That of the branch that was made or restored. */
            incarnation?: number;
            /** @description Id of the transaction that was opened. */
            transaction?: string;
            build?: components["schemas"]["Build"];
            /** @description State of the job after a runner's word. */
            job_state?: string;
            /** @description Why a job failed although its runner finished. */
            code?: string;
            message?: string;
        };
        DatasetRef: {
            namespace: string;
            name: string;
        };
        BranchRef: {
            branch: string;
            incarnation?: number;
        };
        File: {
            /** @description Relative, without . or .. as a part. */
            path: string;
            location?: string;
            /** Format: int64 */
            rows?: number;
            /** Format: int64 */
            bytes?: number;
            checksum?: string;
        };
        Field: {
            name: string;
            type: string;
        };
        DatasetCreated: {
            dataset: components["schemas"]["DatasetRef"];
        };
        BranchCreated: {
            dataset: components["schemas"]["DatasetRef"];
            branch: string;
            parent?: components["schemas"]["BranchRef"];
            from_transaction?: string;
        };
        BranchDeleted: {
            dataset: components["schemas"]["DatasetRef"];
            branch: string;
            incarnation?: number;
        };
        BranchRestored: {
            dataset: components["schemas"]["DatasetRef"];
            branch: string;
            incarnation?: number;
        };
        BranchProtected: {
            dataset?: components["schemas"]["DatasetRef"];
            branch: string;
            publishers?: string[];
        };
        BranchUnprotected: {
            dataset?: components["schemas"]["DatasetRef"];
            branch: string;
        };
        TransactionOpened: {
            dataset: components["schemas"]["DatasetRef"];
            branch: string;
            incarnation?: number;
            /** Format: uuid */
            transaction?: string;
            /** @enum {string} */
            type: "SNAPSHOT" | "APPEND" | "UPDATE" | "DELETE";
        };
        TransactionFilesAdded: {
            /** @description Secret of the live attempt */
            token?: string;
            put?: components["schemas"]["File"][];
            delete?: string[];
        };
        InputTransaction: {
            dataset: components["schemas"]["DatasetRef"];
            transaction: string;
        };
        TransactionCommitted: {
            put?: components["schemas"]["File"][];
            delete?: string[];
            schema?: components["schemas"]["Field"][];
            inputs?: components["schemas"]["InputTransaction"][];
        };
        TransactionAborted: {
            reason?: string;
        };
        JobSpec: {
            id: string;
            inputs?: {
                dataset?: components["schemas"]["DatasetRef"];
                space?: string;
            }[];
            outputs: {
                dataset?: components["schemas"]["DatasetRef"];
                /** @enum {string} */
                type?: "SNAPSHOT" | "APPEND" | "UPDATE";
            }[];
            logic?: {
                language?: string;
                dialect?: string;
                text?: string;
                ref?: string;
            };
            engine?: string;
            properties?: {
                [key: string]: string;
            };
            withdrawn?: boolean;
        };
        JobSpecPublished: {
            branch: string;
            specs?: components["schemas"]["JobSpec"][];
            removed?: string[];
            complete?: boolean;
            commit?: string;
        };
        BuildRequested: {
            build?: string;
            branch: string;
            fallbacks?: string[];
            targets: components["schemas"]["DatasetRef"][];
            /** @enum {string} */
            mode?: "only" | "upstream" | "between";
            from?: components["schemas"]["DatasetRef"][];
            force?: boolean;
            retries?: number;
            abort_on_failure?: boolean;
            max_parallel?: number;
            max_jobs?: number;
            plan_digest?: string;
        };
        BuildAborted: {
            reason?: string;
        };
        Position: {
            partition: number;
            /**
             * Format: int64
             * @description Offset of the last event folded.
             */
            offset: number;
        };
        SpaceList: {
            spaces: components["schemas"]["SpaceSummary"][];
        };
        SpaceSummary: {
            name: string;
            datasets: number;
            /** @description Branches that have job specs, by name. */
            spec_branches: string[];
            /** @description Builds that run. */
            running: number;
            /** @description Builds that wait for others. */
            queued: number;
        };
        DatasetList: {
            position: components["schemas"]["Position"];
            datasets: components["schemas"]["Dataset"][];
        };
        Dataset: {
            namespace: string;
            name: string;
            branches: number;
            has_job_spec: boolean;
            job_spec?: string;
            job_spec_branch?: string;
        };
        BranchList: {
            position: components["schemas"]["Position"];
            branches: components["schemas"]["Branch"][];
        };
        Branch: {
            name: string;
            incarnation: number;
            parent?: string;
            parent_incarnation?: number;
            /** @description Id of the transaction that it points to. */
            head?: string;
            head_state?: string;
            /** @description Id of the latest COMMITTED transaction of its history. */
            committed?: string;
            deleted?: boolean;
            protected?: boolean;
            created_by_build?: string;
        };
        TransactionList: {
            position: components["schemas"]["Position"];
            transactions: components["schemas"]["Transaction"][];
        };
        Transaction: {
            id: string;
            dataset: components["schemas"]["DatasetRef"];
            /** @description Branch that it was started on. */
            branch?: string;
            type: string;
            state: string;
            previous?: string;
            /** Format: int64 */
            opened: number;
            /** Format: int64 */
            closed?: number;
            /** Format: date-time */
            opened_at?: string;
            /** Format: date-time */
            closed_at?: string;
            actor?: string;
            build?: string;
            job?: number;
            job_spec?: string;
            reason?: string;
            files?: number;
            /** @description Branches that point to it. */
            shown_by?: string[];
            inputs?: components["schemas"]["ReadTransaction"][];
        };
        ReadTransaction: {
            dataset: components["schemas"]["DatasetRef"];
            transaction?: string;
            /** @description Only what came after this transaction was read. */
            since?: string;
        };
        View: {
            position: components["schemas"]["Position"];
            branch?: string;
            incarnation?: number;
            transaction?: string;
            /** @description Transaction that the view begins with. */
            base?: string;
            /** Format: int64 */
            files: number;
            /** Format: int64 */
            rows: number;
            /** Format: int64 */
            bytes: number;
            schema?: components["schemas"]["Field"][];
            list: components["schemas"]["File"][];
            /** @description What to give as `after` for more. */
            next?: string;
        };
        PublishedSpec: {
            spec: components["schemas"]["JobSpec"];
            branch: string;
            commit?: string;
            hash: string;
            /** Format: int64 */
            published: number;
        };
        PlanRefusal: {
            code: string;
            message: string;
            dataset?: components["schemas"]["DatasetRef"];
        };
        Blocker: {
            dataset: components["schemas"]["DatasetRef"];
            branch: string;
            transaction?: string;
            build?: string;
            reason: string;
        };
        Plan: {
            position: components["schemas"]["Position"];
            digest: string;
            branch: string;
            fallbacks?: string[];
            jobs: components["schemas"]["Job"][];
            creates?: components["schemas"]["NewBranch"][];
            refusals?: components["schemas"]["PlanRefusal"][];
            blockers?: components["schemas"]["Blocker"][];
        };
        NewBranch: {
            dataset: components["schemas"]["DatasetRef"];
            branch: string;
            /** @description Fallback that it is made from; absent for a root. */
            from?: string;
            transaction?: string;
        };
        Build: {
            position?: components["schemas"]["Position"];
            id: string;
            state: string;
            branch: string;
            fallbacks?: string[];
            targets?: components["schemas"]["DatasetRef"][];
            requested_by?: string;
            /** Format: int64 */
            requested: number;
            /**
             * Format: int64
             * @description Offset to give as `changed_since`, plus one.
             */
            changed?: number;
            /** Format: date-time */
            requested_at?: string;
            /** Format: date-time */
            finished_at?: string;
            digest?: string;
            abort_reason?: string;
            refusals?: components["schemas"]["PlanRefusal"][];
            blockers?: components["schemas"]["Blocker"][];
            jobs?: components["schemas"]["Job"][];
        };
        Job: {
            index: number;
            spec: string;
            spec_branch: string;
            /** @description In a plan, RUN or SKIP. */
            state: string;
            reason?: string;
            code?: string;
            message?: string;
            incremental?: boolean;
            upstream?: number[];
            inputs?: components["schemas"]["JobInput"][];
            outputs?: components["schemas"]["JobOutput"][];
            attempts?: components["schemas"]["Attempt"][];
        };
        JobInput: {
            dataset: components["schemas"]["DatasetRef"];
            space?: string;
            branch?: string;
            transaction?: string;
            since?: string;
            from_job?: number | null;
            reason?: string;
        };
        JobOutput: {
            dataset: components["schemas"]["DatasetRef"];
            branch?: string;
            transaction?: string;
            type: string;
        };
        Attempt: {
            number: number;
            runner?: string;
            state: string;
            message?: string;
            /** Format: date-time */
            started_at?: string;
            /** Format: date-time */
            ended_at?: string;
        };
        ClaimRequest: {
            /** @description Name of the runner. */
            runner: string;
            /** @description Engines that it can run; none means all. */
            engines?: string[];
            /** @description How long to wait for a job; at most 30. */
            wait_seconds?: number;
        };
        Claim: {
            build: string;
            job: number;
            attempt: number;
            /** @description Secret that goes with every word about this attempt. */
            token: string;
            /** @description Without a heartbeat for so long the attempt is void. */
            lease_seconds: number;
            branch: string;
            spec: components["schemas"]["JobSpec"];
            incremental?: boolean;
            inputs: components["schemas"]["ClaimInput"][];
            outputs: components["schemas"]["ClaimOutput"][];
        };
        ClaimInput: {
            dataset: components["schemas"]["DatasetRef"];
            space?: string;
            branch?: string;
            transaction?: string;
            since?: string;
            /** @description Transactions of the view, oldest first; with `since`, those after it. */
            transactions?: string[];
            /** @description Files of the view; with `since`, those that it gained. At most 100,000. */
            files?: components["schemas"]["File"][];
            /**
             * Format: int64
             * @description How many files are not listed.
             */
            files_left_out?: number;
            schema?: components["schemas"]["Field"][];
        };
        ClaimOutput: {
            dataset: components["schemas"]["DatasetRef"];
            branch: string;
            transaction: string;
            type: string;
        };
        AttemptReport: {
            build: string;
            job: number;
            token: string;
            message?: string;
            permanent?: boolean;
            outputs?: components["schemas"]["AttemptOutput"][];
        };
        AttemptOutput: {
            dataset: components["schemas"]["DatasetRef"];
            put?: components["schemas"]["File"][];
            delete?: string[];
            schema?: components["schemas"]["Field"][];
        };
        HeartbeatAnswer: {
            /** @description False: stop, and say so with /runner/stopped. */
            go_on: boolean;
        };
    };
    responses: {
        /** @description Why not. 400 for a request that cannot be read, 404 for something that is not there, 409 for a rule, 421 for a process that does not drive the space, 503 if the log cannot be reached. */
        Problem: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        Space: string;
        TransactionID: string;
        BuildID: string;
        Namespace: string;
        Name: string;
        BranchName: string;
        /** @description Only this incarnation of the branch. */
        Incarnation: number;
        /** @description At most 1000; 100 unless given. */
        Limit: number;
        /** @description Answer once the event at this offset has been folded. */
        MinPosition: number;
        /** @description `applied`: answer when the fold has judged the event. */
        Wait: "applied";
        /** @description Names the event; at most 200 characters. */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listSpaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The spaces by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpaceList"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listDatasets: {
        parameters: {
            query?: {
                /** @description Branch that has_job_spec is asked for; master unless given. */
                branch?: string;
                fallbacks?: string[];
                /** @description Part of the name. */
                contains?: string;
                /** @description Answer once the event at this offset has been folded. */
                min_position?: components["parameters"]["MinPosition"];
            };
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The datasets by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetList"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createDataset: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DatasetCreated"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listBranches: {
        parameters: {
            query: {
                namespace: components["parameters"]["Namespace"];
                name: components["parameters"]["Name"];
                /** @description Show deleted incarnations too. */
                deleted?: boolean;
                /** @description Answer once the event at this offset has been folded. */
                min_position?: components["parameters"]["MinPosition"];
            };
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The branches by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BranchList"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createBranch: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchCreated"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteBranch: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchDeleted"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    restoreBranch: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchRestored"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listProtections: {
        parameters: {
            query?: {
                /** @description Answer once the event at this offset has been folded. */
                min_position?: components["parameters"]["MinPosition"];
            };
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Protections of the whole space first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BranchProtected"][];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    protectBranch: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchProtected"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    unprotectBranch: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchUnprotected"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    sweep: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listTransactions: {
        parameters: {
            query: {
                namespace: components["parameters"]["Namespace"];
                name: components["parameters"]["Name"];
                branch: components["parameters"]["BranchName"];
                /** @description Only this incarnation of the branch. */
                incarnation?: components["parameters"]["Incarnation"];
                /** @description Id of the transaction to go on behind. */
                before?: string;
                /** @description At most 1000; 100 unless given. */
                limit?: components["parameters"]["Limit"];
                /** @description Answer once the event at this offset has been folded. */
                min_position?: components["parameters"]["MinPosition"];
            };
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The history. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionList"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    openTransaction: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransactionOpened"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTransaction: {
        parameters: {
            query?: {
                /** @description Answer once the event at this offset has been folded. */
                min_position?: components["parameters"]["MinPosition"];
            };
            header?: never;
            path: {
                space: components["parameters"]["Space"];
                transaction: components["parameters"]["TransactionID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transaction. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    addFiles: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
                transaction: components["parameters"]["TransactionID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransactionFilesAdded"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    commitTransaction: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
                transaction: components["parameters"]["TransactionID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransactionCommitted"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    abortTransaction: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
                transaction: components["parameters"]["TransactionID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransactionAborted"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getView: {
        parameters: {
            query: {
                namespace: components["parameters"]["Namespace"];
                name: components["parameters"]["Name"];
                branch: components["parameters"]["BranchName"];
                /** @description Only this incarnation of the branch. */
                incarnation?: components["parameters"]["Incarnation"];
                /** @description Offset in the space's partition; what was committed until then counts. */
                at?: number;
                /** @description Path of the file to go on behind. */
                after?: string;
                /** @description At most 1000; 100 unless given. */
                limit?: components["parameters"]["Limit"];
                /** @description Answer once the event at this offset has been folded. */
                min_position?: components["parameters"]["MinPosition"];
            };
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The view. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["View"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listJobSpecs: {
        parameters: {
            query: {
                branch: components["parameters"]["BranchName"];
                /** @description Answer once the event at this offset has been folded. */
                min_position?: components["parameters"]["MinPosition"];
            };
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The specs by id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedSpec"][];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    publishJobSpecs: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobSpecPublished"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    planBuild: {
        parameters: {
            query?: {
                /** @description Answer once the event at this offset has been folded. */
                min_position?: components["parameters"]["MinPosition"];
            };
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BuildRequested"];
            };
        };
        responses: {
            /** @description The plan. With refusals it cannot be built. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listBuilds: {
        parameters: {
            query?: {
                state?: string;
                /** @description At most 1000; 100 unless given. */
                limit?: components["parameters"]["Limit"];
                /** @description Answer once the event at this offset has been folded. */
                min_position?: components["parameters"]["MinPosition"];
            };
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The builds, without their jobs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"][];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    requestBuild: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BuildRequested"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getBuild: {
        parameters: {
            query?: {
                /** @description Answer once the build has changed at or behind this offset, or after 20 seconds. */
                changed_since?: number;
                /** @description Answer once the event at this offset has been folded. */
                min_position?: components["parameters"]["MinPosition"];
            };
            header?: never;
            path: {
                space: components["parameters"]["Space"];
                build: components["parameters"]["BuildID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The build. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    abortBuild: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has judged the event. */
                wait?: components["parameters"]["Wait"];
            };
            header?: {
                /** @description Names the event; at most 200 characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                space: components["parameters"]["Space"];
                build: components["parameters"]["BuildID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BuildAborted"];
            };
        };
        responses: {
            /** @description The fold has accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            /** @description It is durable in the log. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    claim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClaimRequest"];
            };
        };
        responses: {
            /** @description A job with its token and lease. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Claim"];
                };
            };
            /** @description Nothing to run. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    heartbeat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AttemptReport"];
            };
        };
        responses: {
            /** @description Whether to go on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeartbeatAnswer"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    finishAttempt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AttemptReport"];
            };
        };
        responses: {
            /** @description What became of the job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    failAttempt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AttemptReport"];
            };
        };
        responses: {
            /** @description What became of the job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    stopAttempt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space: components["parameters"]["Space"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AttemptReport"];
            };
        };
        responses: {
            /** @description What became of the job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
}
