{% if x %} INSERT INTO m SELECT a{% if is_incremental() %}, b{% endif %} FROM s {% else %} INSERT INTO m2 SELECT a FROM s2 {% endif %}
