{% set cols = ['a','b'] %}
INSERT INTO m SELECT {% for c in cols %} {{ c }}{% if not loop.last %},{% endif %} {% endfor %} FROM t
