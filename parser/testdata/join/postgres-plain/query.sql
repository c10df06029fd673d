SELECT a.x FROM a LEFT JOIN (b JOIN c ON b.k = c.k) ON a.k = b.k WHERE c.z = 1;
