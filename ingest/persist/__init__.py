"""Last stage: writes rows in batches. The attempt's lease fences writes of files and kernels.

Reading the same commit again changes no row. Rows that vanished are retired, never deleted.
"""

from ingest.persist.ledger import Ledger
