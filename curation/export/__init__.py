"""Export of datasets: selection, splits and records.

`training/` writes the files of records, `card/` the dataset card. `release/` stores, compares and
uploads releases.
"""
