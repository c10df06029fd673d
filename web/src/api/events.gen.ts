// Generated from schemas/api by `npm run types`. Do not edit.
export interface paths {
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Append events to the log
         * @description Takes CloudEvents 1.0 in any HTTP form, plain or with
         *     `Content-Encoding: gzip`:
         *
         *     | Content-Type | body |
         *     |---|---|
         *     | `application/cloudevents+json` | one event |
         *     | `application/cloudevents-batch+json` | a JSON array of events |
         *     | `application/x-ndjson` | an event a line |
         *     | `application/json` with `ce-id`, `ce-source`, `ce-type`, `ce-specversion` headers | the data of one event |
         *     | `application/json` without them | one event, or a JSON array of events |
         *
         *     Each event is answered for itself, in the order sent. Those that are
         *     refused do not hold up the others:
         *
         *     | status | meaning |
         *     |---|---|
         *     | 200 | all events are in the log (and, with `wait=applied`, accepted by the fold) |
         *     | 207 | some are, some are not; see each result |
         *     | 400 | none is, because each one is at fault; or the body as a whole cannot be read |
         *     | 409 | with `wait=applied`: in the log, but the fold rejected every one; see the codes |
         *     | 413, 415 | too large; a content type or encoding that is not taken |
         *     | 501 | `wait=applied` where no fold can be waited for |
         *     | 503 | not written, or overloaded: send again after `Retry-After` seconds |
         *     | 504 | with `wait=applied`: in the log, but not applied in time |
         */
        post: operations["postEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The types of events, with topic and JSON Schema */
        get: operations["listEventTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lineage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take an OpenLineage event
         * @description Takes a RunEvent, JobEvent or DatasetEvent of OpenLineage 2 (and 1), or
         *     a JSON array of them, or `{"events": [...]}`, plain or gzip. Answers 201
         *     when what it says is in the log; its events and their ids follow from
         *     the OpenLineage event alone, so a client's retry is a repeat. Also at
         *     `/api/lineage`, `/openapi/openlineage/api/v1/lineage` and
         *     `/api/v1/openlineage/lineage`.
         */
        post: operations["postOpenLineage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lineage/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a batch of OpenLineage events
         * @description A JSON array of events, or `{"events": [...]}`. Answers 204 if all were
         *     taken, 200 with what failed if not.
         */
        post: operations["postOpenLineageBatch"];
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
        /** @description One event. Further members of lower-case letters and digits are extension attributes. */
        CloudEvent: {
            /** @enum {string} */
            specversion: "1.0";
            id: string;
            source: string;
            /** @example tributary.task.defined.v1 */
            type: string;
            /**
             * Format: date-time
             * @description When it happened; the time of arrival if absent.
             */
            time?: string;
            /** @example application/json */
            datacontenttype?: string;
            data: Record<string, never>;
        } & {
            [key: string]: unknown;
        };
        EventResult: {
            /** @description Place in what was sent, from 0; of x-ndjson the line, from 0. */
            index: number;
            id?: string;
            /** @enum {string} */
            status: "accepted" | "refused" | "rejected" | "failed";
            topic?: string;
            partition?: number;
            /** Format: int64 */
            offset?: number;
            /** @description Why it was refused (the event is at fault), rejected (by the fold) or has failed (not written). */
            code?: string;
            message?: string;
            /** @description Sending it again may help. */
            retry?: boolean;
        };
        EventsAnswer: {
            /** @description Events that are in the log. */
            accepted: number;
            /** @description Events that are not. */
            refused: number;
            results: components["schemas"]["EventResult"][];
            /** @description Set when no event was accepted. */
            code?: string;
            message?: string;
            details?: {
                [key: string]: unknown;
            };
        };
        EventType: {
            type: string;
            topic: string;
            description: string;
            schema: {
                [key: string]: unknown;
            };
        };
        OpenLineageAnswer: {
            events: components["schemas"]["EventResult"][];
        };
        OpenLineageBatchAnswer: {
            /** @enum {string} */
            status: "success" | "partial_success";
            summary: {
                received: number;
                successful: number;
                failed: number;
                retriable: number;
                non_retriable: number;
            };
            failed_events: {
                index: number;
                reason: string;
                retriable: boolean;
            }[];
        };
        Error: {
            code: string;
            message: string;
            details?: {
                [key: string]: unknown;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postEvents: {
        parameters: {
            query?: {
                /** @description `applied`: answer when the fold has passed the events, and say what it made of them. */
                wait?: "applied";
                /** @description How long `wait=applied` waits, as 500ms, 10s or 1m; at most 1m. */
                timeout?: string;
                /** @description `refused` leaves accepted events out of `results`, which makes the answer to a large batch small. */
                results?: "all" | "refused";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/cloudevents+json": components["schemas"]["CloudEvent"];
                "application/cloudevents-batch+json": components["schemas"]["CloudEvent"][];
                "application/x-ndjson": string;
                "application/json": unknown;
            };
        };
        responses: {
            /** @description All events are in the log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventsAnswer"];
                };
            };
            /** @description Some events are in the log. */
            207: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventsAnswer"];
                };
            };
            /** @description No event was accepted. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventsAnswer"];
                };
            };
        };
    };
    listEventTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All types, sorted by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        types: components["schemas"]["EventType"][];
                    };
                };
            };
        };
    };
    postOpenLineage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description What the event says is in the log. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenLineageAnswer"];
                };
            };
            /** @description The event was not taken. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postOpenLineageBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description Some events failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenLineageBatchAnswer"];
                };
            };
            /** @description All events were taken. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No event was taken. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
