"""Page on which a pair is edited.

Saving is in `validation`, which checks the contract and queues the validation.
"""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from curation.characters import listed_in
from curation.decisions.editing import PairTexts
from curation.models import Pair
from curation.web.access import may_edit_pairs


@require_safe
@may_edit_pairs
def edit_pair(request: HttpRequest, pk: int) -> HttpResponse:
    pair = get_object_or_404(Pair, pk=pk)
    return pair_editor(request, pair, PairTexts(*(getattr(pair, name) for name in Pair.SOURCES)))


def pair_editor(
    request: HttpRequest,
    pair: Pair,
    texts: PairTexts,
    problems: Sequence[str] = (),
    description: str | None = None,
) -> HttpResponse:
    """Show the three texts of an edit, and the problems to solve before it can be saved."""
    shown = {
        "pair": pair,
        "texts": [
            (name, f"{name}.py", text, listed_in(text))
            for name, text in ((name, getattr(texts, name)) for name in Pair.SOURCES)
        ],
        "description": pair.description if description is None else description,
        "problems": problems,
    }
    code = 400 if problems else 200
    return render(request, "curation/edit_pair.html", shown, status=code)
