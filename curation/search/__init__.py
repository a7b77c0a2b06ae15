"""Filters as queries, and substring search in code: SQLite's FTS5, PostgreSQL's pg_trgm."""
