"""Work that outlives a request. The SQL row is the truth, Redis only carries nudges.

A run's row moves `queued → running → succeeded | failed | cancelled`, each step by
compare-and-set. rq delivers at least once and may lose or repeat a job; neither changes a row
twice, and the sweeper hands over again what was lost.
"""
