TOLERANCE = dict.fromkeys(TOLERANCE, (1e-2, 1e-2))
