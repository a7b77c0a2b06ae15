"""Inside the sandbox: has Inductor write for functions that nobody trusts.

`python -m validation.inductor.worker FD PARALLEL`, asked as `validation.workers` asks.
"""

import os
import platform

import torch
from torch._inductor.decomposition import select_decomp_table

from validation.inductor.trace import traced
from validation.workers.forking import serve

if __name__ == "__main__":
    torch.set_num_threads(1)
    # It would ask for the user's name, which nobody has here.
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = "/tmp/inductor"  # noqa: S108 - the sandbox's own
    # What takes a second is done once, before the first child.
    select_decomp_table()
    serve(traced, {"torch": torch.__version__, "python": platform.python_version()})
