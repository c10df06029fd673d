{% macro cents(c) %} ({{ c }} / 100) {% endmacro %}
{% if full %}
CREATE TABLE a AS SELECT c FROM b
{% else %}
INSERT INTO a2 SELECT c FROM b2
{% endif %};
{% for t in tables %} INSERT INTO out SELECT x FROM src_{{ t }}; {% endfor %}
INSERT INTO z SELECT q FROM w
