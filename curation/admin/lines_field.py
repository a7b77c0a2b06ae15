"""Form field for a list of texts, one a line."""

from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget


class LinesField(forms.CharField):
    widget = AdminTextareaWidget

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return super().widget_attrs(widget) | {"rows": 4}

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """Return the lines in order, without blank lines and repetitions."""
        if isinstance(value, list):
            return value
        stripped = (line.strip() for line in str(value or "").splitlines())
        return list(dict.fromkeys(line for line in stripped if line))
