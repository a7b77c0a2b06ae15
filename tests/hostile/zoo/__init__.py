"""Entries that a harness must tell apart: cheats and faults that it must catch, honest ones that it
must let pass. `README.md` says how an entry is written, `load.py` reads them.
"""
