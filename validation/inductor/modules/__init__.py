"""Layers and blocks of models, from which Inductor's pairs are made.

Each is a function over tensors, with the shapes of its inputs. Weights are inputs too. They are
written like a layer, not like a kernel.
"""

from validation.inductor.modules.losses import LOSSES, MEMORY
from validation.inductor.modules.maps import ACTIVATIONS, OPTIMIZERS
from validation.inductor.modules.products import PRODUCTS
from validation.inductor.modules.rows import NORMALIZATIONS, REDUCTIONS
from validation.recipes.sketch import Sketch

MODULES: tuple[Sketch, ...] = (
    *ACTIVATIONS,
    *NORMALIZATIONS,
    *REDUCTIONS,
    *LOSSES,
    *PRODUCTS,
    *MEMORY,
    *OPTIMIZERS,
)
