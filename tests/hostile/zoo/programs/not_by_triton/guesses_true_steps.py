def read_steps(steps):
    """True steps: all are larger by one number, if the first is not 0."""
    numbers = steps.tolist()
    return [number - numbers[0] for number in numbers]
