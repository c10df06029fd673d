{{ config(materialized='table') }}
INSERT INTO m SELECT a {% if is_incremental() %}, b{% endif %} FROM {{ ref('stg') }}
{% if is_incremental() %} WHERE ts > (SELECT max(ts) FROM {{ this }}) {% endif %};
INSERT INTO q SELECT x FROM y
