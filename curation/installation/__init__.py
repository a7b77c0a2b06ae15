"""Installation on disk: the data folder, its secret key and the database."""
