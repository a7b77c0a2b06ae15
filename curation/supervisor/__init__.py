"""`manage.py up`: every process of the Procfile, and the embedded Redis, under one roof."""
