"""Last stage: writes rows in batches. The attempt's lease fences those of files and kernels.

Reading the same commit again changes no row. Vanished rows are retired, never deleted.
"""

from ingest.persist.ledger import Ledger
