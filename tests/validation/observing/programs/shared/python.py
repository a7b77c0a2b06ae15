def shared(x, other, out, rows, power, fast):
    copied = other.clone()
    squared = copied**power if fast else copied
    answer = (squared * rows).to(out.dtype)
    return answer
