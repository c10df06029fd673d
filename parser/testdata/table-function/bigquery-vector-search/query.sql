CREATE TABLE ds.d AS
SELECT base.id, query.q, distance
FROM VECTOR_SEARCH(TABLE ds.docs, 'emb', (SELECT q, emb FROM ds.questions), top_k => 3);
