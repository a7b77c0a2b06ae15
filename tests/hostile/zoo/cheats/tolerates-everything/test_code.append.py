TOLERANCE = dict.fromkeys(TOLERANCE, (1e9, 1e9))
