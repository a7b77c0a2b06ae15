"""List of all ladder recipes, in display order."""

from __future__ import annotations

from validation.pairs.recipes.ladders.attention import ATTENTION_LADDERS
from validation.pairs.recipes.ladders.elementwise import ELEMENTWISE_LADDERS
from validation.pairs.recipes.ladders.ladder import LadderRecipe
from validation.pairs.recipes.ladders.losses import LOSS_LADDERS
from validation.pairs.recipes.ladders.norms import NORM_LADDERS
from validation.pairs.recipes.ladders.products import PRODUCT_LADDERS
from validation.pairs.recipes.ladders.reductions import REDUCTION_LADDERS
from validation.pairs.recipes.ladders.softmaxes import SOFTMAX_LADDERS
from validation.pairs.recipes.ladders.transposes import TRANSPOSE_LADDERS

LADDER_RECIPES: tuple[LadderRecipe, ...] = (
    *PRODUCT_LADDERS,
    *ATTENTION_LADDERS,
    *NORM_LADDERS,
    *SOFTMAX_LADDERS,
    *LOSS_LADDERS,
    *REDUCTION_LADDERS,
    *ELEMENTWISE_LADDERS,
    *TRANSPOSE_LADDERS,
)
