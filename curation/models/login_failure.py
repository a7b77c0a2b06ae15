"""Failed logins, for throttling password guesses. Old rows are deleted."""

from django.db import models


class LoginFailure(models.Model):
    name = models.CharField(max_length=150)
    address = models.CharField(max_length=45, help_text="The client's IP address.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = (
            models.Index(fields=("name", "created_at"), name="loginfailure_by_name"),
            models.Index(fields=("address", "created_at"), name="loginfailure_by_address"),
        )

    def __str__(self) -> str:
        return f"{self.name} from {self.address}"
