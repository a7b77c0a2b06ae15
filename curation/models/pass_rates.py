"""Pass rates of models on pairs. They are a measured difficulty."""

from math import comb

from django.db import models
from django.db.models import F, Q

from curation.models.items import Pair

MOST_ATTEMPTS = 10_000


class PassRate(models.Model):
    """The attempts of a model at a pair, and the number of them that passed its test."""

    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="pass_rates")
    model = models.CharField(max_length=100, help_text="The name of the model.")
    k = models.PositiveIntegerField(help_text="Of pass@k: attempts of which one must pass.")
    n = models.PositiveIntegerField(help_text="Number of attempts.")
    passed = models.PositiveIntegerField(help_text="Number of attempts that passed.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("pair", "model", "k"), name="passrate_once"),
            models.CheckConstraint(condition=~Q(model=""), name="passrate_names_model"),
            models.CheckConstraint(
                condition=Q(k__gte=1, n__gte=F("k"), n__lte=MOST_ATTEMPTS),
                name="passrate_attempts_suffice",
            ),
            models.CheckConstraint(
                condition=Q(passed__lte=F("n")), name="passrate_passed_at_most_all"
            ),
        )

    @property
    def rate(self) -> float:
        return pass_at_k(self.k, self.n, self.passed)


def pass_at_k(k: int, n: int, passed: int) -> float:
    """Return the unbiased estimate of the probability that at least one of `k` attempts passes."""
    return 1 - comb(n - passed, k) / comb(n, k)
