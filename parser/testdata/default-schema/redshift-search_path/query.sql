SET search_path TO 's1', s2; SELECT a FROM t; SELECT a FROM spectrum.ext; SELECT a FROM other.public.t
