"""The ground floor: what is curated, who decided what, what leaves."""

__version__ = "0.1.0"
