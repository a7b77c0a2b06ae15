"""What leaves the house: selection, formats, releases."""
