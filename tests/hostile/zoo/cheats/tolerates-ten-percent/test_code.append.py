TOLERANCE = dict.fromkeys(TOLERANCE, (1e-1, 1e-1))
