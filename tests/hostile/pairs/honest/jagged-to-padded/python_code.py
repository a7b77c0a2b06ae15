def jagged_to_padded(values, offsets, fill=0.0):
    rows = [values[a:b] for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist())]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=fill)
