{{ config(materialized='table') }}
{%- set source_table = 'raw.orders' -%}
{% set other = ref('customers') %}
INSERT INTO d (a, b) SELECT o.a, c.b FROM {{ source_table }} o JOIN {{ other }} c ON c.id = o.customer_id
