"""Login page, and the response headers of a login."""

from collections.abc import Callable

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse

from curation.text import pluralize
from curation.web.security.devices import remember_device


class Login(LoginView):
    redirect_authenticated_user = True

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        context = self.get_context_data(form=form, wait=wait_in_words(self.request))
        return self.render_to_response(context)


def wait_in_words(request: HttpRequest) -> str:
    """Return how long a throttled login has to wait, or "" if it was not throttled."""
    seconds = getattr(request, "login_wait", 0)
    return pluralize(seconds, "second") if seconds else ""


def answer_logins(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: refuse a throttled login with 429, and mark the browser of a successful one.

    It covers every page that takes a password: the login, the admin's login, the password change.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if seconds := getattr(request, "login_wait", 0):
            response.status_code = 429
            response.headers["Retry-After"] = str(seconds)
        remember_device(request, response)
        return response

    return middleware
