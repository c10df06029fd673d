UPDATE prices FOR PORTION OF valid FROM DATE '2024-01-01' TO DATE '2024-02-01' SET amount = amount * rate
