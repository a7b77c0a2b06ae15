"""Items whose every text was written by a stranger, and the pages that show them."""

from collections.abc import Iterator

from django.urls import reverse

from curation.models import Kernel, Pair
from tests import factories as make


def a_kernel_saying(text: str) -> Kernel:
    repository = make.a_repository(name=text, url="https://example.org/x")
    kernel = make.a_kernel(
        name=text, standalone_source=f"# {text}\nx = '{text}'\ny{text} = 1\n",
        launcher_source=f"# {text}\n", tags=[text], standalone=False, standalone_reasons=[text],
        notes=[text], license=make.a_license(expression=text), license_verdict="permissive",
        parameters=[{"name": text, "annotation": text, "default": text, "constexpr": False}],
        kind_evidence=[{"says": text, "rule": text, "line": 1, "text": text}],
    )  # fmt: skip
    for number in range(2):
        file = make.a_source_file(path=f"{text}{number}.py", repository=repository)
        make.a_provenance(kernel=kernel, source_file=file, license_reason=text)
    make.some_license_evidence(
        repository=repository, source_file=file, path=text, matched_text=text, remark=text
    )
    make.a_finding(kernel=kernel, gate="parses", passed=False, message=text)
    near = make.a_kernel(name=f"{text}2", standalone_source=f"z = '{text}'\n", status="approved")
    make.a_duplicate_link(kernel=near, of_kernel=kernel)
    make.a_question(kernel=kernel, text=text)
    make.a_decision(kernel=kernel, comment=text, reasons=[text])
    return kernel


def a_pair_saying(text: str, kernel: Kernel) -> Pair:
    before = make.a_pair(slug="before", test_code=f"TOLERANCE = '{text}'\n")
    pair = make.a_pair(
        kernel=kernel, slug="bad", python_code=f"# {text}\n", triton_code=text, entry_point=text,
        test_code=f"TOLERANCE = '{text}{text}'\n", recipe=text, description=text, previous=before,
    )  # fmt: skip
    run = make.a_validation_run(environment={text: text})
    result = make.a_validation_result(pair=pair, message=text, figures={text: text}, run=run)
    figures = {text: text, "max_abs_error": 0.1, "share_of_allowed": 0.2}
    make.a_validation_check(result=result, name=text, message=text, figures=figures)
    return pair


def item_pages(kernel: Kernel, pair: Pair) -> Iterator[str]:
    for tab in ("standalone", "file", "launcher", "diff", "diff&layout=inline", "alike", "history"):
        yield f"{kernel.get_absolute_url()}?tab={tab}"
    for tab in ("code", "results", "diff", "diff&layout=inline", "history"):
        yield f"{pair.get_absolute_url()}?tab={tab}"


def other_pages(text: str, pair: Pair) -> Iterator[str]:
    draft = make.a_draft(
        operation=text, path=text, missing=[text], python_code=text, entry_point=text,
        provenance={"license": text, "lines": text, "commit": text},
    )  # fmt: skip
    run = make.an_ingest_run()
    make.a_drop(run=run, path=text, message=text, qualname=text)
    yield from (draft.get_absolute_url(), run.get_absolute_url())
    yield from map(reverse, ("find", "history", "drafts", "account"))
    yield from (
        reverse("edit-pair", args=[pair.pk]),
        reverse("ask", args=["kernels", pair.kernel_id]),
    )
    yield f"{reverse('find')}?items=pairs"
