/*
id: api_segment
name: GET /users/{id}/segment
kind: api
dialect: mysql
source: shop
default_schema: shop
owner: growth
*/
SELECT user_id, tag, score FROM user_tags WHERE user_id = ?;
