UPDATE account SET balance = balance - t.amount, version = version + 1 FROM transfer t WHERE t.account_id = account.id AND version > 3;
MERGE INTO stock USING delivery d ON stock.id = d.id WHEN MATCHED THEN UPDATE SET qty = qty + d.n;
