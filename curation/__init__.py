"""The ground floor: what is curated, who decided what, what leaves."""
