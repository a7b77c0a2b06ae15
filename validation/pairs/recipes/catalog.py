"""List of all recipes, in display order."""

from __future__ import annotations

from validation.pairs.recipes.activation_gradients import ACTIVATION_GRADIENT_RECIPES
from validation.pairs.recipes.attention import ATTENTION_RECIPES
from validation.pairs.recipes.block_formats import BLOCK_FORMAT_RECIPES
from validation.pairs.recipes.convolutions import CONVOLUTION_RECIPES
from validation.pairs.recipes.descriptors import DESCRIPTOR_RECIPES
from validation.pairs.recipes.distances import DISTANCE_RECIPES
from validation.pairs.recipes.fusions import FUSION_RECIPES
from validation.pairs.recipes.gradients import GRADIENT_RECIPES
from validation.pairs.recipes.integers import INTEGER_RECIPES
from validation.pairs.recipes.losses import LOSS_RECIPES
from validation.pairs.recipes.maps import MAPS
from validation.pairs.recipes.matmuls import MATMUL_RECIPES
from validation.pairs.recipes.memory import MEMORY_RECIPES
from validation.pairs.recipes.normalizations import NORM_RECIPES
from validation.pairs.recipes.optimizers import OPTIMIZER_RECIPES
from validation.pairs.recipes.paged_attention import PAGED_ATTENTION_RECIPES
from validation.pairs.recipes.quantization import QUANTIZATION_RECIPES
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.reductions import REDUCTION_RECIPES
from validation.pairs.recipes.routing import ROUTING_RECIPES
from validation.pairs.recipes.scaled_products import SCALED_RECIPES
from validation.pairs.recipes.sequences import SEQUENCE_RECIPES
from validation.pairs.recipes.training import TRAINING_RECIPES
from validation.pairs.recipes.weight_only import WEIGHT_ONLY_RECIPES

RECIPES: tuple[Recipe, ...] = (
    *MAPS,
    *INTEGER_RECIPES,
    *REDUCTION_RECIPES,
    *NORM_RECIPES,
    *MATMUL_RECIPES,
    *DESCRIPTOR_RECIPES,
    *DISTANCE_RECIPES,
    *MEMORY_RECIPES,
    *SEQUENCE_RECIPES,
    *CONVOLUTION_RECIPES,
    *LOSS_RECIPES,
    *OPTIMIZER_RECIPES,
    *QUANTIZATION_RECIPES,
    *SCALED_RECIPES,
    *TRAINING_RECIPES,
    *WEIGHT_ONLY_RECIPES,
    *BLOCK_FORMAT_RECIPES,
    *GRADIENT_RECIPES,
    *ACTIVATION_GRADIENT_RECIPES,
    *ATTENTION_RECIPES,
    *PAGED_ATTENTION_RECIPES,
    *ROUTING_RECIPES,
    *FUSION_RECIPES,
)
