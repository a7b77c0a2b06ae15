"""Forms of the item pages."""

from typing import Any

from django import forms

from curation.decisions.decide import ItemClassification
from curation.decisions.editing import LONGEST, PairTexts
from curation.evidence.claim_sheet.types import TOPICS
from curation.models import Difficulty, Draft, Kernel, OperationType, Pair, Status

LONGEST_COMMENT = 10_000


class DecisionForm(forms.Form):
    status = forms.ChoiceField(
        choices=[(status, status.label) for status in (Status.APPROVED, Status.REJECTED)]
    )
    version = forms.IntegerField(min_value=1)
    request = forms.UUIDField()
    comment = forms.CharField(required=False, max_length=LONGEST_COMMENT)
    operation_type = forms.ChoiceField(required=False, choices=[("", ""), *OperationType.choices])
    difficulty = forms.ChoiceField(required=False, choices=[("", ""), *Difficulty.choices])
    tags = forms.CharField(required=False, max_length=1000)

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self._reasons = data.getlist("reason")[:20]
        self._says_kind = "tags" in data
        self._open_claims = data.get("open_claims")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        cleaned["reasons"] = [str(reason)[:100] for reason in self._reasons]
        named = None if self._open_claims is None else self._open_claims.split(",")
        cleaned["open_claims"] = named and [topic for topic in TOPICS if topic in named]
        return cleaned

    def kind(self, item: Kernel | Pair) -> ItemClassification | None:
        """Return the classification in the form, or None if the form had no such fields.

        An empty choice keeps the item's value.
        """
        if not self._says_kind:
            return None
        tags = (tag.strip() for tag in self.cleaned_data["tags"].split(","))
        return ItemClassification(
            self.cleaned_data["operation_type"] or item.operation_type,
            self.cleaned_data["difficulty"] or item.difficulty,
            tuple(dict.fromkeys(tag for tag in tags if tag)),
        )


class DraftForm(forms.Form):
    version = forms.IntegerField(min_value=1)
    operation_type = forms.ChoiceField(choices=OperationType.choices)
    difficulty = forms.ChoiceField(choices=Difficulty.choices)
    differentiable = forms.BooleanField(required=False)
    python_code = forms.CharField(required=False, strip=False, max_length=LONGEST)
    triton_code = forms.CharField(required=False, strip=False, max_length=LONGEST)
    test_code = forms.CharField(required=False, strip=False, max_length=LONGEST)

    def problems(self) -> list[str]:
        return [f"{name}: {' '.join(map(str, errors))}" for name, errors in self.errors.items()]

    def values(self) -> dict[str, Any]:
        """Return the fields, with the three texts as one `PairTexts`."""
        values = dict(self.cleaned_data)
        return {"texts": PairTexts(*(values.pop(name) for name in Draft.TEXTS)), **values}
