WITH t AS (SELECT id, explode(items) AS item FROM db.o) INSERT INTO db.d SELECT id, item.sku, item.qty * 2 FROM t
