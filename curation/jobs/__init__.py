"""Durable background work. The SQL row is authoritative; Redis only triggers.

A run's row moves `queued → running → succeeded | failed | cancelled`, each step by compare-and-set.
rq delivers at least once and may lose or repeat a job. Neither changes a row twice, and the sweeper
enqueues lost runs again.
"""
