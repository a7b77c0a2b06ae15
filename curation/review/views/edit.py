"""Editing a pair."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from curation.errors import CurationError
from curation.models import Pair
from curation.review.access import may_edit_pairs, person
from curation.review.editing import Texts, new_version

COLUMNS = ("python_code", "triton_code", "test_code")


@require_http_methods(["GET", "HEAD", "POST"])
@may_edit_pairs
def edit_pair(request: HttpRequest, pk: int) -> HttpResponse:
    pair = get_object_or_404(Pair, pk=pk)
    code = 200
    typed = {name: getattr(pair, name) for name in COLUMNS}
    description = pair.description
    if request.method == "POST":
        typed = {name: request.POST.get(name, "") for name in COLUMNS}
        description = request.POST.get("description", description)
        try:
            made = new_version(
                pair=pair, texts=Texts(**typed), description=description, author=person(request)
            )
        except CurationError as error:
            messages.error(request, str(error))
            code = 400
        else:
            new = f"{made} is a new version of {pair}. It waits for a decision."
            messages.success(request, "The description is saved." if made == pair else new)
            return redirect(made)
    texts = [(name, f"{name}.py", text) for name, text in typed.items()]
    shown = {"pair": pair, "texts": texts, "description": description}
    return render(request, "curation/edit_pair.html", shown, status=code)
