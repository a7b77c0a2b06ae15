"""The last stage: what was read becomes rows, in batches, each fenced by the attempt's lease.

Reading the same again changes no row; what is gone is retired, never deleted.
"""

from ingest.persist.ledger import Ledger

__all__ = ["Ledger"]
