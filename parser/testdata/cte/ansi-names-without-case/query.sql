INSERT INTO t WITH Base AS (SELECT O.Id, o.amt FROM orders O) SELECT B.id, bASE.amt FROM base b JOIN BASE ON B.ID = base.Id
