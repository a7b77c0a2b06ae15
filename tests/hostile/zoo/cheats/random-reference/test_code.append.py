TOLERANCE = dict.fromkeys(TOLERANCE, (0.0, 1.1))
