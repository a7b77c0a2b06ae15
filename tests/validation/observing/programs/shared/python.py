def shared(x, out, rows, power, fast):
    copied = x.clone()
    print(copied.shape)
    squared = copied**power if fast else copied
    answer = (squared * rows).to(x.dtype)
    return answer
