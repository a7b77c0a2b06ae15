"""Substring search in code: SQLite's FTS5 with trigrams, PostgreSQL's pg_trgm."""
