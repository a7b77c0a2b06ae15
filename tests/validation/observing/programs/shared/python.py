def shared(x, other, out, rows, power, fast):
    copied = other.clone()
    print(copied.shape)
    squared = copied**power if fast else copied
    answer = (squared * rows).to(out.dtype)
    return answer
