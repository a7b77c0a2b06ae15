def flat_index(rows, cols, row_length):
    return rows * row_length + cols
