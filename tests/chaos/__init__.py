"""The workbench in an operator's hands: backup, upgrade, rotation, and what survives kill -9."""
