SELECT dblink.a FROM dblink('host=x', 'SELECT a FROM remote_t') AS dblink(a int);
