"""Runs one other tool on the statements of standard input for some seconds.

Prints {"version", "per_second", "failed"} as JSON. Column lineage is asked
for where the tool has it.
"""
import importlib.metadata
import json
import sys
import time

SECONDS = 8.0


def sqlglot_once(sql):
    from sqlglot import exp, parse_one
    from sqlglot.lineage import lineage
    from sqlglot.optimizer.scope import build_scope

    tree = parse_one(sql)
    query = tree.expression if isinstance(tree, exp.Insert) else tree
    with_ = tree.args.get("with") or tree.args.get("with_")
    if with_ is not None and query is not tree:
        query.set("with_" if "with_" in type(query).arg_types else "with", with_)
    scope = build_scope(query)
    for name in query.named_selects:
        lineage(name, query, schema={}, scope=scope)


def sqllineage_once(sql):
    from sqllineage.runner import LineageRunner

    LineageRunner(sql, dialect="ansi").get_column_lineage()


def openlineage_once(sql):
    from openlineage_sql import parse

    if parse([sql], dialect="ansi") is None:
        raise ValueError("not understood")


TOOLS = {"sqlglot": sqlglot_once, "sqllineage": sqllineage_once, "openlineage-sql": openlineage_once}


def main():
    tool = sys.argv[1]
    once = TOOLS[tool]
    statements = json.load(sys.stdin)
    once(statements[0])  # imports are not measured
    done = failed = 0
    began = time.process_time()
    while time.process_time() - began < SECONDS:
        for sql in statements:
            try:
                once(sql)
            except Exception:
                failed += 1
            done += 1
            if time.process_time() - began >= SECONDS:
                break
    took = time.process_time() - began
    print(json.dumps({"version": importlib.metadata.version(tool), "per_second": done / took, "failed": failed}))


main()
