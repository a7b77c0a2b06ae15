"""Single steps of optimizers, with decay, clipping and projection."""

from __future__ import annotations

from validation.pairs.recipes.choices import DTYPES, listed, named
from validation.pairs.recipes.maps import in_float32
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances

# The phrase, the states, and PyTorch's lines.
OPTIMIZERS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "sgd": ("SGD", (), ("p = p - lr * g",)),
    "momentum": (
        "momentum SGD with momentum 0.9",
        ("m",),
        ("m = 0.9 * m + g", "p = p - lr * m"),
    ),
    "nesterov": (
        "SGD with Nesterov momentum 0.9",
        ("m",),
        ("m = 0.9 * m + g", "p = p - lr * (g + 0.9 * m)"),
    ),
    "adagrad": (
        "Adagrad",
        ("v",),
        ("v = v + g * g", "p = p - lr * g / (torch.sqrt(v) + 1e-8)"),
    ),
    "rmsprop": (
        "RMSprop with decay 0.99",
        ("v",),
        ("v = 0.99 * v + 0.01 * g * g", "p = p - lr * g / (torch.sqrt(v) + 1e-8)"),
    ),
    "adam": (
        "Adam with betas 0.9 and 0.999",
        ("m", "v"),
        (
            "m = 0.9 * m + 0.1 * g",
            "v = 0.999 * v + 0.001 * g * g",
            "m_hat = m / (1.0 - 0.9**step)",
            "v_hat = v / (1.0 - 0.999**step)",
            "p = p - lr * m_hat / (torch.sqrt(v_hat) + 1e-8)",
        ),
    ),
    "adamax": (
        "Adamax with betas 0.9 and 0.999",
        ("m", "v"),
        (
            "m = 0.9 * m + 0.1 * g",
            "v = torch.maximum(0.999 * v, torch.abs(g) + 1e-8)",
            "m_hat = m / (1.0 - 0.9**step)",
            "p = p - lr * m_hat / v",
        ),
    ),
    "smooth_lion": (
        "soft-sign Lion with betas 0.9 and 0.99",
        ("m",),
        (
            "update = 0.9 * m + 0.1 * g",
            "p = p - lr * update / (torch.abs(update) + 1e-2)",
            "m = 0.99 * m + 0.01 * g",
        ),
    ),
}
# Factors that the launcher computes and passes to the kernel.
CORRECTIONS = {"m_correction": "1.0 - 0.9**step", "v_correction": "1.0 - 0.999**step"}


def in_triton(lines: tuple[str, ...]) -> tuple[str, ...]:
    text = "\n".join(lines).replace("torch.maximum", "fmax").replace("torch.", "tl.")
    for name, factor in CORRECTIONS.items():
        text = text.replace(f"({factor})", name)
    return tuple(text.split("\n"))


DECAYS = {
    "none": ("", "", ""),
    "coupled_decay": ("coupled weight decay of 0.01", "g = g + 0.01 * p", "g = g + 0.01 * p"),
    "decoupled_decay": ("decoupled weight decay of 0.01", "p = p * (1.0 - 0.01 * lr)", ""),
}
CLIPS = {
    "none": ("", "", ""),
    "clipped": (
        "gradients clipped to [-1, 1]",
        "g = torch.clamp(g, -1.0, 1.0)",
        "g = fclamp(g, -1.0, 1.0)",
    ),
}
PROJECTIONS = {
    "none": ("", "", ""),
    "nonnegative": (
        "parameters clamped to be non-negative",
        "p = torch.clamp(p, min=0.0)",
        "p = fmax(p, 0.0)",
    ),
    "proximal": (
        "parameters soft-thresholded at 0.001",
        "p = torch.sign(p) * torch.clamp(torch.abs(p) - 0.001, min=0.0)",
        "p = fmax(p - 0.001, 0.0) + fmin(p + 0.001, 0.0)",
    ),
}


def corrections(kind: str) -> dict[str, str]:
    """Return the bias corrections of an optimizer, by name."""
    text = "".join(OPTIMIZERS[kind][2])
    return {name: factor for name, factor in CORRECTIONS.items() if f"({factor})" in text}


def step_number(kind: str) -> tuple[Argument, ...]:
    """Return the argument for the step number, if the optimizer has bias corrections."""
    # An early step: both corrections are far from 1, so a test notices a missing one.
    return (Argument("step", default="10"),) if corrections(kind) else ()


def _optimizer(
    kind: str,
    decay: str,
    clip: str,
    project: str,
    block_size: int,
    dtypes: tuple[str, ...],
    **_: object,
) -> Sketch | None:
    phrase, states, torch = OPTIMIZERS[kind]
    names = ("p", "g", *states)
    decayed = DECAYS[decay]
    outputs = ("p", *states)
    words = list(filter(None, (decayed[0], CLIPS[clip][0], PROJECTIONS[project][0])))
    before = [CLIPS[clip][1], decayed[1]]
    before_triton = [CLIPS[clip][2], decayed[1]]
    after, after_triton = PROJECTIONS[project][1], PROJECTIONS[project][2]
    lines = tuple(filter(None, (*before, *torch, after)))
    return Sketch(
        entry_point=named(kind, "step", *(w for w in (clip, decay, project) if w != "none")),
        summary=f"Take one step of {phrase}{',' * bool(words)}{listed(words, ' with ')}.",
        operation_type="optimizer",
        tags=("optimizer", kind.replace("_", "-")),
        triton="optimizer",
        python=(
            in_float32(("p", "g"), lines, "p", states)
            if dtypes != ("float32",)
            else (*lines, f"return {', '.join(outputs)}")
        ),
        arguments=(
            *(Argument(name, ("n",)) for name in ("p", "g")),
            # Parameters and gradients may be in half precision; the state is always float32.
            *(
                Argument(name, ("n",), "positive" if name == "v" else "normal", "float32")
                for name in states
            ),
            Argument("lr", default="0.05"),
            *step_number(kind),
        ),
        sizes=({"n": 1}, {"n": 127}, {"n": 1000}, {"n": 6 * block_size + 13}),
        tolerance=tolerances(dtypes, 4),
        outputs=len(outputs) if len(outputs) > 1 else 1,
        values={
            "names": names,
            "states": states,
            "corrections": corrections(kind),
            "lines": (
                *filter(None, before_triton),
                *in_triton(torch),
                *filter(None, (after_triton,)),
            ),
        },
    )


OPTIMIZER_RECIPES = (
    Recipe(
        "optimizer-step",
        _optimizer,
        kind=tuple(OPTIMIZERS),
        decay=tuple(DECAYS),
        clip=tuple(CLIPS),
        project=tuple(PROJECTIONS),
        loop=("none", "grid_stride"),
        block_size=(512, 1024, 2048),
        dtypes=DTYPES,
    ),
)
