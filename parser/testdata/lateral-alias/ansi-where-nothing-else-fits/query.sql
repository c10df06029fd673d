INSERT INTO d SELECT first_name || middle AS given, given || last_name AS full_name FROM people
