"""All settings, each with its environment variable. The defaults fit a single machine."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import dj_database_url

from curation.errors import CurationError
from curation.operations import data_folder, logs


def env_bool(name: str, default: bool) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if value in ("", "0", "1", "true", "false", "yes", "no", "on", "off"):
        return value in ("1", "true", "yes", "on") if value else default
    raise CurationError(f"{name} is {value!r}: write 1 or 0.")


def env_int(name: str, default: int) -> int:
    value = os.environ.get(name, "").strip()
    try:
        return int(value) if value else default
    except ValueError:
        raise CurationError(f"{name} is {value!r}: write a whole number.") from None


def env_one_of(name: str, default: str, choices: tuple[str, ...]) -> str:
    value = os.environ.get(name, default)
    if value not in choices:
        raise CurationError(f"{name} is {value!r}: write {' or '.join(choices)}.")
    return value


def env_list(name: str, default: str) -> list[str]:
    return [item.strip() for item in os.environ.get(name, default).split(",") if item.strip()]


def env_percents(name: str, default: str) -> dict[str, float]:
    """Parse percentages by category. `5` means `*:5`: 5% of all categories that are not named."""
    shares = {}
    for part in env_list(name, default):
        category, _, percent = part.rpartition(":")
        try:
            shares[category or "*"] = float(percent)
        except ValueError:
            raise CurationError(
                f"{name} is {part!r}: write a percentage, or category:percentage."
            ) from None
    return shares


def env_redis_url() -> str:
    """Return REDIS_URL or "". Refuse TCP without a password, or any program could stop workers."""
    url = os.environ.get("REDIS_URL", "").strip()
    try:
        parts = urlsplit(url)
        password = parts.password or any(parse_qs(parts.query).get("password", ()))
    except ValueError as error:
        raise CurationError(f"REDIS_URL can't be read: {error}.") from None
    if parts.scheme not in ("redis", "rediss") or password:
        return url
    if env_bool("REDIS_WITHOUT_PASSWORD", False):
        return url
    raise CurationError(
        "REDIS_URL names a Redis on TCP without a password: any program that reaches its port, and "
        "on loopback any user of this machine, could delete jobs and stop workers. Write "
        "redis://:PASSWORD@host:6379/0 and set requirepass, use unix:///PATH, or set "
        "REDIS_WITHOUT_PASSWORD=1."
    )


BASE_DIR = data_folder.BASE_DIR
# Folder of all files that the application writes.
DATA_DIR = data_folder.path()
# Create files that only their user can read, unless the code sets another mode.
os.umask(data_folder.OTHERS)

DEBUG = env_bool("DEBUG", False)
SECRET_KEY = os.environ.get("SECRET_KEY") or data_folder.secret_key(DATA_DIR)
SECRET_KEY_FALLBACKS = env_list("SECRET_KEY_FALLBACKS", "")

# --- Web ------------------------------------------------------------------------------------
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", "")
ROOT_URLCONF = "curation.urls"
# Modules with URLs of packages that `curation` must not import.
MORE_URLS = ["ingest.urls", "validation.urls"]
WSGI_APPLICATION = "curation.wsgi.application"

INSTALLED_APPS = [
    "curation",
    "ingest",
    "validation",
    "curation.admin_site.CurationAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_rq",
]

MIDDLEWARE = [
    "curation.operations.access_log.access",
    "django.middleware.security.SecurityMiddleware",
    "curation.web.security.headers.content_security_policy",
    "curation.web.security.bodies.refuse_nonsense",
    "curation.web.security.login.answer_logins",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "curation.web.security.unavailable.DatabaseUnavailable",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "curation.web.views.item.queue_length",
            ],
        },
    },
]

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static", ("guide", BASE_DIR / "docs" / "pictures")]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG

# --- Security -------------------------------------------------------------------------------
# On wherever DEBUG is off. `manage.py up`, which serves plain HTTP on loopback, turns it off.
HTTPS = env_bool("HTTPS", not DEBUG)
SECURE_SSL_REDIRECT = HTTPS
# Probes come from the same network. They do not pass through the proxy that ends TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^metrics$"]
SECURE_HSTS_SECONDS = env_int("HSTS_SECONDS", 31_536_000) if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
# Set HTTPS_HEADER=X-Forwarded-Proto if, and only if, the site is behind a proxy that ends TLS.
if _header := os.environ.get("HTTPS_HEADER"):
    SECURE_PROXY_SSL_HEADER = (f"HTTP_{_header.upper().replace('-', '_')}", "https")
# Number of proxies in front of the site. Each adds an address to X-Forwarded-For.
TRUSTED_PROXIES = env_int("TRUSTED_PROXIES", 0)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_AGE = env_int("SESSION_SECONDS", 14 * 3600)
X_FRAME_OPTIONS = "DENY"
# Large enough for an edited pair, which is the largest legitimate request.
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000

AUTHENTICATION_BACKENDS = ["curation.web.security.permissions.Backend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "queue"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# --- Database -------------------------------------------------------------------------------
DATABASE_URL = os.environ.get("DATABASE_URL", "")
EMBEDDED_DATABASE = not DATABASE_URL
DATABASES: dict[str, Any]
if EMBEDDED_DATABASE:
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": DATA_DIR / data_folder.DATABASE,
            # Keep connections open, because each new connection would start with an empty cache.
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                # If a deferred transaction begins to write, it may fail at once with "database is
                # locked". Immediate transactions wait for other writers.
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                # `synchronous` stays FULL, so that acknowledged decisions survive a power cut.
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA mmap_size=134217728; "
                "PRAGMA cache_size=-64000",
            },
        }
    }
else:
    DATABASES = {
        "default": dj_database_url.parse(DATABASE_URL, conn_max_age=60, conn_health_checks=True)
    }
    # JIT compilation takes longer than the query of any page. `?options=` in the URL replaces this.
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("options", "-c jit=off")
    # Number of executions after which a statement is prepared. See `curation.compiled_queries`.
    DATABASES["default"]["OPTIONS"]["prepare_threshold"] = (
        5 if env_bool("PREPARED_STATEMENTS", True) else None
    )
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Queue ----------------------------------------------------------------------------------
REDIS_URL = env_redis_url()
EMBEDDED_REDIS = not REDIS_URL
REDIS_SOCKET = data_folder.redis_socket(DATA_DIR)
_redis = REDIS_URL or f"unix://{REDIS_SOCKET}"
RQ_QUEUES = {
    name: {
        # Without this timeout for connecting, an unavailable Redis would block the web processes.
        "URL": f"{_redis}{'&' if '?' in _redis else '?'}socket_connect_timeout=3",
        "SERIALIZER": "rq.serializers.JSONSerializer",
        "DEFAULT_TIMEOUT": 6 * 3600,
        "DEFAULT_RESULT_TTL": 0,
    }
    for name in ("ingest", "validation", "default")
}
# A worker renews its lease while it works. After the lease expires, another worker gets the run.
LEASE_SECONDS = env_int("LEASE_SECONDS", 120)
MOST_ATTEMPTS = env_int("MOST_ATTEMPTS", 3)
SWEEP_SECONDS = env_int("SWEEP_SECONDS", 15)
# Seconds after which a queued run that has no job in Redis counts as lost.
LOST_JOB_SECONDS = env_int("LOST_JOB_SECONDS", 30)
# Context manager that yields a function. The function removes code of a draft that no test runs.
DRAFT_SIMPLIFIER = "validation.observing.simplify.simplifier"
# Function that returns the verdict and the standard text of a license expression.
LICENSE_POLICY = "ingest.licenses.policy.judged"
# Address of this site in mails and webhooks, for example https://curation.example.org.
SITE_URL = os.environ.get("SITE_URL", "").rstrip("/")
# Address to which each notice is posted, and the key of its signature. If empty, none is posted.
WEBHOOK_URL = os.environ.get("WEBHOOK_URL", "")
WEBHOOK_SECRET = os.environ.get("WEBHOOK_SECRET", "")
# Mail server for notices. If empty, no mail is sent.
EMAIL_HOST = os.environ.get("EMAIL_HOST", "")
EMAIL_PORT = env_int("EMAIL_PORT", 25)
EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env_bool("EMAIL_USE_TLS", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("EMAIL_FROM", "curation@localhost")
# Seconds between two searches for items that were not compared yet.
EXAMINE_SECONDS = env_int("EXAMINE_SECONDS", 60)
# Seconds between two searches for released records that may no longer be distributed.
WITHDRAWAL_SECONDS = env_int("WITHDRAWAL_SECONDS", 600)
# Tasks of the scheduler in order, with the minimum seconds between two runs. 0: each sweep.
SCHEDULED = {
    "curation.jobs.sweep.sweep": 0,
    "ingest.refresh.queue_due": 0,
    "validation.run_requests.queue_uncompiled": 0,
    "curation.evidence.clusters.follow_decisions": 0,
    "curation.evidence.refresh.refresh_pairs": EXAMINE_SECONDS,
    "curation.export.release.changes.mark_withdrawn": WITHDRAWAL_SECONDS,
    "curation.export.jobs.remove_old_archives": 3600,
    # At most once an hour, because it reads the folders of all mirrors.
    "ingest.mirrors.remove_unused_mirrors": 3600,
    "curation.decisions.priority.refresh": 0,
    "curation.web.dashboard.refresh": 0,
    "curation.decisions.notices.notice_runs": 0,
    "curation.decisions.notices.deliver_notices": 0,
}
# Number of archives to keep of exports that are no release. 0 keeps all archives.
EXPORTS_KEPT = env_int("EXPORTS_KEPT", 20)
# Mirrors are deleted this many days after their last use. If all together exceed the size limit in
# bytes, the least recently used mirrors are deleted. 0 disables a limit.
MIRROR_DAYS = env_int("MIRROR_DAYS", 30)
MIRRORS_BYTES = env_int("MIRRORS_BYTES", 50_000_000_000)
# Folder of shipped benchmark fingerprints. Each is used until its benchmark is ingested here.
BENCHMARK_FINGERPRINTS = Path(
    os.environ.get("BENCHMARK_FINGERPRINTS")
    or BASE_DIR / "curation" / "evidence" / "benchmark_fingerprints"
)
REFRESHES_AT_ONCE = env_int("REFRESHES_AT_ONCE", 4)
# Number of compile runs that the scheduler keeps in the queue. With 0, only people request them.
COMPILES_AT_ONCE = env_int("COMPILES_AT_ONCE", 2)

# Device of validations that are requested on a pair's page. Use "cuda" if a worker has a GPU.
VALIDATION_DEVICE = env_one_of("VALIDATION_DEVICE", "interpreter", ("interpreter", "cuda"))

# Seconds until a claim ends. An open page renews its claim every minute.
CLAIM_SECONDS = env_int("CLAIM_SECONDS", 600)
PRIORITY_SECONDS = env_int("PRIORITY_SECONDS", 60)
DASHBOARD_SECONDS = env_int("DASHBOARD_SECONDS", 60)
# Percentage of decisions that get a second, blind review: "5", or by category "jax:20,*:5".
SECOND_REVIEW_PERCENT = env_percents("SECOND_REVIEW_PERCENT", "5")
# Number of failed logins per hour before a wait. Each further failure makes the wait longer.
LOGIN_FAILURES = env_int("LOGIN_FAILURES", 5)

# Folder of local clones, `OWNER/NAME.git`. They are read instead of the repositories on the web.
LOCAL_CLONES = os.environ.get("LOCAL_CLONES", "")
# Repository hosts that may have a private address, or a port other than 443.
GIT_ALLOWED_HOSTS = env_list("GIT_ALLOWED_HOSTS", "")

# --- GitHub ---------------------------------------------------------------------------------
GITHUB_API = os.environ.get("GITHUB_API", "https://api.github.com")
GITHUB_TOKEN = os.environ.get("GITHUB_TOKEN", "")

# --- Hugging Face hub -----------------------------------------------------------------------
# Token by which releases are pushed, for the site and its workers. Empty: none is pushed.
HF_TOKEN = os.environ.get("HF_TOKEN", "")
HF_ENDPOINT = os.environ.get("HF_ENDPOINT", "")

# Token for access to /metrics. If it is empty and HTTPS is off, only this machine has access.
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
# /healthz answers 503 if fewer bytes are free on the disk of the data folder.
FREE_DISK_BYTES = env_int("FREE_DISK_BYTES", 200_000_000)

# --- The rest -------------------------------------------------------------------------------
LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True

LOG_FORMAT = env_one_of("LOG_FORMAT", "text", ("text", "json"))
LOGGING = logs.config()
