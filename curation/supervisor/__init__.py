"""`manage.py up`: runs every process of the Procfile, and the embedded Redis."""
