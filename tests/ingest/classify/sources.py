"""One small kernel of each kind, under names that say nothing."""

HEAD = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
FRAME = HEAD + "def k(x, y, out, n, BLOCK: tl.constexpr):\n    at = tl.arange(0, BLOCK)\n"

ADD = FRAME + (
    "    v = tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n)\n"
    "    tl.store(out + at, v, mask=at < n)\n"
)
SUM = (
    FRAME
    + "    v = tl.load(x + at, mask=at < n, other=0.0)\n    tl.store(out, tl.sum(v, axis=0))\n"
)
SOFTMAX = FRAME + (
    "    v = tl.load(x + at, mask=at < n)\n"
    "    e = tl.exp(v - tl.max(v, axis=0))\n"
    "    tl.store(out + at, e / tl.sum(e, axis=0), mask=at < n)\n"
)
RMS = FRAME + (
    "    v = tl.load(x + at, mask=at < n)\n"
    "    r = tl.rsqrt(tl.sum(v * v, axis=0) / n + eps)\n"
    "    tl.store(out + at, v * r, mask=at < n)\n"
)
MATMUL = FRAME + (
    "    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)\n"
    "    for i in range(n):\n"
    "        a = tl.load(x + at[:, None])\n"
    "        b = tl.load(y + at[None, :])\n"
    "        acc += tl.dot(a, b)\n"
    "    tl.store(out + at, acc)\n"
)
ATTENTION = FRAME + (
    "    a = tl.load(x + at[:, None])\n"
    "    for i in range(n):\n"
    "        b = tl.load(y + at[None, :])\n"
    "        s = tl.dot(a, b)\n"
    "        p = tl.exp(s - tl.max(s, 1)[:, None])\n"
    "        acc = tl.dot(p, b)\n"
    "    tl.store(out + at, acc)\n"
)
CONVOLUTION = HEAD + (
    "def k(x, w, out, KH: tl.constexpr, KW: tl.constexpr, pad_h, pad_w, BLOCK: tl.constexpr):\n"
    "    at = tl.arange(0, BLOCK)\n"
    "    acc = tl.zeros((BLOCK,), dtype=tl.float32)\n"
    "    for i in range(KH):\n"
    "        for j in range(KW):\n"
    "            acc += tl.load(x + at + i - pad_h) * tl.load(w + i * KW + j - pad_w)\n"
    "    tl.store(out + at, acc)\n"
)
SCAN = FRAME + "    tl.store(out + at, tl.cumsum(tl.load(x + at), axis=0))\n"
SORT = FRAME + "    tl.store(out + at, tl.sort(tl.load(x + at)))\n"
GATHER = FRAME + (
    "    where = tl.load(y + at, mask=at < n)\n"
    "    row = where.to(tl.int64) * 4\n"
    "    tl.store(out + at, tl.load(x + row))\n"
)
QUANTIZE = HEAD + (
    "def k(x, out, scale, n, BLOCK: tl.constexpr):\n"
    "    at = tl.arange(0, BLOCK)\n"
    "    v = tl.load(x + at, mask=at < n) / tl.load(scale)\n"
    "    tl.store(out + at, v.to(tl.int8), mask=at < n)\n"
)
CROSS_ENTROPY = HEAD + (
    "def k(logits, labels, loss, n, BLOCK: tl.constexpr):\n"
    "    at = tl.arange(0, BLOCK)\n"
    "    v = tl.load(logits + at, mask=at < n)\n"
    "    lse = tl.log(tl.sum(tl.exp(v - tl.max(v, 0)), 0))\n"
    "    tl.store(loss, lse - tl.load(logits + tl.load(labels)))\n"
)
ADAM = HEAD + (
    "def k(p, g, m, v, lr, beta1, beta2, n, BLOCK: tl.constexpr):\n"
    "    at = tl.arange(0, BLOCK)\n"
    "    grad = tl.load(g + at)\n"
    "    a = beta1 * tl.load(m + at) + (1 - beta1) * grad\n"
    "    b = beta2 * tl.load(v + at) + (1 - beta2) * grad * grad\n"
    "    tl.store(m + at, a)\n"
    "    tl.store(v + at, b)\n"
    "    tl.store(p + at, tl.load(p + at) - lr * a / tl.sqrt(b))\n"
)
RANDOM = FRAME + "    tl.store(out + at, tl.rand(n, at))\n"
EMPTY = HEAD + "def k(x):\n    pass\n"

KINDS = {
    "element-wise": ADD,
    "reduction": SUM,
    "softmax": SOFTMAX,
    "normalization": RMS,
    "matmul": MATMUL,
    "attention": ATTENTION,
    "convolution": CONVOLUTION,
    "scan": SCAN,
    "sort": SORT,
    "gather-scatter": GATHER,
    "quantization": QUANTIZE,
    "loss": CROSS_ENTROPY,
    "optimizer": ADAM,
    "random": RANDOM,
    "other": EMPTY,
}
