"""What stands on disk before the first request: the data folder, its secret, the database."""
