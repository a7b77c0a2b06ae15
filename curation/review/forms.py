"""What a person fills in on the page of an item, read and checked."""

from typing import Any

from django import forms

from curation.models import Difficulty, OperationType, Status
from curation.review.decisions import Kind

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

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        cleaned["reasons"] = [str(reason)[:100] for reason in self._reasons]
        return cleaned

    def kind(self) -> Kind | None:
        """None: the form did not ask."""
        if not self._says_kind:
            return None
        tags = (tag.strip() for tag in self.cleaned_data["tags"].split(","))
        return Kind(
            self.cleaned_data["operation_type"],
            self.cleaned_data["difficulty"],
            tuple(dict.fromkeys(tag for tag in tags if tag)),
        )
