"""Descriptions of Inductor's modules, by their docstring in American spelling.

Docstrings that are noun phrases ("SwiGLU of a value and its gate.") are not listed.
"""

MODULES: dict[str, str] = {
    "Logits squeezed below a cap.": "Squeeze logits softly below a cap.",
    "A bias, then GELU.": "Add a bias, then apply GELU.",
    "A bias and what was before the layer.": "Add a bias and the residual input.",
    "A branch, scaled by channel, added to what was before it.": (
        "Scale a branch by channel and add it to the residual input."
    ),
    "PReLU with a slope a channel.": "Apply PReLU with one slope per channel.",
    "The product of complex numbers in two parts.": (
        "Multiply complex numbers given as real and imaginary parts."
    ),
    "An affine map by channel of images.": "Apply an affine map to each channel of images.",
    "One image over another.": "Blend one image over another by its alpha channel.",
    "A residual, and RMS normalization of the sum.": (
        "Add a residual and apply RMS normalization to the sum."
    ),
    "Batch normalization by kept statistics.": "Apply batch normalization with running statistics.",
    "Batch normalization by the batch's statistics, then ReLU.": (
        "Apply batch normalization with the batch's statistics, then ReLU."
    ),
    "Instance normalization of images.": "Apply instance normalization to images.",
    "Rows of length one.": "Scale each row to unit length.",
    "Layer normalization whose scale and shift depend on a condition.": (
        "Apply layer normalization with a scale and shift that depend on a condition."
    ),
    "The softmax of scores that do not look ahead.": (
        "Compute the causal softmax of attention scores."
    ),
    "How much each expert is asked, of logits with noise.": (
        "Compute the routing probabilities of experts from noisy logits."
    ),
    "The largest of each channel.": "Compute the maximum of each channel.",
    "The mean of the rows with a probability above 0.3.": (
        "Compute the mean of the rows whose probability is above 0.3."
    ),
    "The least and the largest of rows.": "Compute the minimum and the maximum of each row.",
    "The sum of squares, as clipping gradients asks for it.": (
        "Compute the sum of squares, as gradient clipping needs it."
    ),
    "The negative logarithm of a normal density, by row.": (
        "Compute the Gaussian negative log-likelihood of each row."
    ),
    "A linear layer.": "Apply a linear layer.",
    "A linear layer, then GELU.": "Apply a linear layer, then GELU.",
    "A linear layer beside what was before it.": "Apply a linear layer and add the residual input.",
    "A weight with a correction of low rank.": "Apply a linear layer with a low-rank correction.",
    "Two linear layers with GELU between.": "Apply two linear layers with GELU between them.",
    "A gated feed-forward layer.": "Apply a gated feed-forward layer.",
    "Products of matrices in a batch.": "Multiply two batches of matrices.",
    "Softmax of scores times an eighth.": (
        "Compute attention probabilities from queries and keys, with scores times 1/8."
    ),
    "Attention of all heads, with scores times an eighth.": (
        "Compute multi-head attention with scores times 1/8."
    ),
    "Layer normalization of a linear layer.": "Apply a linear layer, then layer normalization.",
    "Channels weighed by what the whole image says.": (
        "Weight the channels by statistics of the whole image (squeeze and excitation)."
    ),
    "Probabilities of experts for each token.": "Compute the expert probabilities of each token.",
    "Rows of a table, and what their places add.": (
        "Look up rows of a table and add position embeddings."
    ),
    "Rows of a table, times eight.": "Look up rows of a table and multiply them by eight.",
    "Rotary embedding: halves of rows turned against each other.": (
        "Apply rotary embedding: rotate the halves of each row against each other."
    ),
    "Each row mixed with the row before it.": "Mix each row with the row before it.",
    "Two tensors stacked along a new last dimension.": (
        "Stack two tensors along a new last dimension."
    ),
    "Rows beside rows.": "Concatenate rows.",
    "Rows over their largest magnitude, and a 127th of it.": (
        "Divide each row by its largest magnitude, and return that magnitude divided by 127."
    ),
    "Whole numbers with a scale a row.": "Dequantize integers with one scale per row.",
    "One step of SGD with momentum.": "Take one step of SGD with momentum.",
    "One step of RMSProp.": "Take one step of RMSProp.",
    "One step of Lion.": "Take one step of Lion.",
    "One step of AdamW without correction of its start.": (
        "Take one step of AdamW without bias correction."
    ),
    "A running average of weights.": "Update an exponential moving average of weights.",
}
