"""Export of datasets: selection, splits, formats, releases."""
