"""All recipes, in the order in which they are listed."""

from __future__ import annotations

from validation.recipes.integers import INTEGER_RECIPES
from validation.recipes.losses import LOSS_RECIPES
from validation.recipes.maps import MAPS
from validation.recipes.matmuls import MATMUL_RECIPES
from validation.recipes.memory import MEMORY_RECIPES
from validation.recipes.normalisations import NORM_RECIPES
from validation.recipes.optimisers import OPTIMISER_RECIPES
from validation.recipes.quantisation import QUANTISATION_RECIPES
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
    *OPTIMISER_RECIPES,
    *QUANTISATION_RECIPES,
    *SCALED_RECIPES,
    *TRAINING_RECIPES,
)
