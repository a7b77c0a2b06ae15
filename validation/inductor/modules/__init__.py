"""Layers and blocks of models, from which Inductor's pairs are made.

Each is a function over tensors with its inputs' shapes: what a layer holds as weights is handed
over. Written as one would write a layer, not as one would write a kernel.
"""

from validation.inductor.modules.losses import LOSSES, MEMORY
from validation.inductor.modules.maps import ACTIVATIONS, OPTIMISERS
from validation.inductor.modules.products import PRODUCTS
from validation.inductor.modules.rows import NORMALISATIONS, REDUCTIONS
from validation.recipes.sketch import Sketch

MODULES: tuple[Sketch, ...] = (
    *ACTIVATIONS,
    *NORMALISATIONS,
    *REDUCTIONS,
    *LOSSES,
    *PRODUCTS,
    *MEMORY,
    *OPTIMISERS,
)
