SELECT who, total, which FROM (SELECT * FROM monthly) UNPIVOT(sales FOR month IN (jan, feb)) AS u(who, which, total)
