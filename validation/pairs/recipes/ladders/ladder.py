"""An optimization ladder: one Python side and test, and a Triton side (rung) for each step.

The template of a ladder is `templates/ladders/<sketch.triton>.py.j2`. It is rendered with a rung's
`step` and `note`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from jinja2 import Environment

from validation.pairs.recipes.layout import tidy
from validation.pairs.recipes.rendering import BLANK_LINE, RenderedTexts, rendered, templates
from validation.pairs.recipes.sketch import Sketch
from validation.pairs.recipes.spelling import spelled_out
from validation.pairs.recipes.styles import NAMINGS, Style, styled


@dataclass(frozen=True, slots=True)
class Rung:
    name: str
    """A noun phrase that names the step, without its number."""
    note: str
    """The sentence that opens the Triton side: the change, and the reason for its speed."""
    tags: tuple[str, ...] = ()
    code: str = ""
    """Name of the step in the template, if it differs from `name`."""

    @property
    def step(self) -> str:
        return self.code or self.name

    @property
    def slug(self) -> str:
        return self.name.replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Ladder:
    sketch: Sketch
    """The Python side, the test, and the values of the Triton side's template."""
    rungs: tuple[Rung, ...]
    """From slow to fast, as the author expects."""

    @property
    def name(self) -> str:
        return self.sketch.slug


@dataclass(frozen=True, slots=True, eq=False)
class LadderRecipe:
    name: str
    ladders: tuple[Ladder, ...]


def style_of(ladder: Ladder) -> Style:
    """Return the style shared by all rungs of a ladder. A rung determines its own tuning."""
    draw = random.Random(ladder.name)  # noqa: S311 - to be repeated, not to be secret
    style = draw.choice(NAMINGS)
    return replace(style, comments=True, typed=draw.random() < 0.35)


def rendered_rung(
    ladder: Ladder, rung: Rung, environment: Environment | None = None
) -> RenderedTexts:
    """Render the three texts of a rung. Only the Triton text differs between rungs."""
    sketch, style = ladder.sketch, style_of(ladder)
    template = (environment or templates()).get_template(f"ladders/{sketch.triton}.py.j2")
    source = template.render(sketch=sketch, step=rung.step, note=rung.note, **sketch.values)
    # Parts of the template that a step omits leave empty lines.
    source = BLANK_LINE.sub("", source)
    triton = tidy(styled(spelled_out(source, style), style))
    return rendered(sketch, style, triton, environment)
