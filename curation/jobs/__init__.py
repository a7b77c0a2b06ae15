"""Durable background work. The state of a run is its SQL row. Redis only triggers the work.

A run's row moves `queued → running → succeeded | failed | cancelled`, each step by compare-and-set.
rq may deliver a job twice, or lose it. A repeated job changes no row twice, and the sweeper
enqueues lost runs again.
"""
