"""The login page: it says when too many logins have failed."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpResponse


class Login(LoginView):
    redirect_authenticated_user = True

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        waits: Any = getattr(self.request, "throttled", False)
        context = self.get_context_data(form=form, throttled=waits)
        return self.render_to_response(context, status=429 if waits else 200)
