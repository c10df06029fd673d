"""Asks the store with clickhouse-connect, as a person with a notebook would.

Arguments: host and port of the store, the password of its full user.
"""
import sys

import clickhouse_connect
from clickhouse_connect.driver.exceptions import DatabaseError

host, port, password = sys.argv[1], int(sys.argv[2]), sys.argv[3]

reader = clickhouse_connect.get_client(host=host, port=port, database="tributary")
for view in ("lineage_edges", "lineage_columns", "lineage_nodes", "branches", "transactions", "transaction_inputs", "builds", "jobs"):
    reader.query(f"SELECT * FROM {view} LIMIT 10")
rows = reader.query("SELECT from_name, to_name FROM lineage_edges ORDER BY 1").result_rows
assert rows == [("db.orders", "dw.orders")], rows
rows = reader.query("SELECT to_name FROM lineage_edges WHERE from_name = {n:String}", parameters={"n": "db.orders"}).result_rows
assert rows == [("dw.orders",)], rows

for hostile in (
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    "SELECT 1 INTO OUTFILE '/tmp/leak'",
    "INSERT INTO positions VALUES ('x', 'y', 1, 1, 1, now())",
    "DROP TABLE nodes",
    "TRUNCATE TABLE edges",
    "CREATE TABLE tributary.mine (a Int8) ENGINE = Memory",
    "ALTER TABLE nodes DELETE WHERE 1",
    "SYSTEM SHUTDOWN",
    "SELECT 1; DROP TABLE nodes",
    "SET readonly = 0",
    "KILL QUERY WHERE 1",
):
    try:
        reader.command(hostile)
    except DatabaseError:
        continue
    raise AssertionError("not refused: " + hostile)

full = clickhouse_connect.get_client(host=host, port=port, username="tributary", password=password, database="tributary")
assert full.command("SELECT count() FROM edges") > 0
try:
    clickhouse_connect.get_client(host=host, port=port, username="tributary", password="wrong")
except DatabaseError:
    print("done")
