"""Layers and blocks of models from which Inductor's pairs are made.

Each layer is a function of tensors, with the shapes of its inputs. Weights are inputs too. The
functions are written as model authors write layers, not as kernels.
"""

from validation.pairs.inductor.modules.losses import LOSSES, MEMORY
from validation.pairs.inductor.modules.maps import ACTIVATIONS, OPTIMIZERS
from validation.pairs.inductor.modules.products import PRODUCTS
from validation.pairs.inductor.modules.rows import NORMALIZATIONS, REDUCTIONS
from validation.pairs.recipes.sketch import Sketch

MODULES: tuple[Sketch, ...] = (
    *ACTIVATIONS,
    *NORMALIZATIONS,
    *REDUCTIONS,
    *LOSSES,
    *PRODUCTS,
    *MEMORY,
    *OPTIMIZERS,
)
