"""List of all recipes, in display order."""

from __future__ import annotations

from validation.recipes.integers import INTEGER_RECIPES
from validation.recipes.losses import LOSS_RECIPES
from validation.recipes.maps import MAPS
from validation.recipes.matmuls import MATMUL_RECIPES
from validation.recipes.memory import MEMORY_RECIPES
from validation.recipes.normalizations import NORM_RECIPES
from validation.recipes.optimizers import OPTIMIZER_RECIPES
from validation.recipes.quantization import QUANTIZATION_RECIPES
from validation.recipes.recipe import Recipe
from validation.recipes.reductions import REDUCTION_RECIPES
from validation.recipes.scaled_products import SCALED_RECIPES
from validation.recipes.sequences import SEQUENCE_RECIPES
from validation.recipes.training import TRAINING_RECIPES

RECIPES: tuple[Recipe, ...] = (
    *MAPS,
    *INTEGER_RECIPES,
    *REDUCTION_RECIPES,
    *NORM_RECIPES,
    *MATMUL_RECIPES,
    *MEMORY_RECIPES,
    *SEQUENCE_RECIPES,
    *LOSS_RECIPES,
    *OPTIMIZER_RECIPES,
    *QUANTIZATION_RECIPES,
    *SCALED_RECIPES,
    *TRAINING_RECIPES,
)
