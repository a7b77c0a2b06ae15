"""Last stage: writes rows in batches, each fenced by the attempt's lease.

Reading the same commit again changes no row. Vanished rows are retired, never deleted.
"""

from ingest.persist.ledger import Ledger
