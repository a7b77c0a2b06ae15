"""Files of modules as a person may give them."""

BLOCKS = """
import math

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.gate = nn.Linear(width, 2 * width, bias=False)
        self.down = nn.Linear(width, width, bias=False)
        self.act = nn.ReLU(inplace=True)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        batch, tokens, width = x.shape
        parts = self.qkv(self.norm(x)).view(batch, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = parts.unbind(0)
        half = q.shape[-1] // 2
        q = q * 0.5 + torch.cat((-q[..., half:], q[..., :half]), dim=-1)
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(width // self.heads)
        mixed = (scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(batch, tokens, width)
        x = x + self.drop(self.out(mixed))
        one, other = self.gate(x).chunk(2, dim=-1)
        return x + self.down(self.act(one) * other)


class Model(nn.Module):
    def __init__(self, depth=3, width=32, heads=2):
        super().__init__()
        self.embedding = nn.Embedding(50, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return x


MODULES = {"model": lambda: (Model(), (torch.zeros(2, 7, dtype=torch.int64),))}
"""

SOME_BROKEN = """
import torch
from torch import nn


class Looking(nn.Module):
    def forward(self, x):
        return x + 1 if x.sum() > 0 else x


class Fine(nn.Module):
    def forward(self, x):
        return torch.tanh(x) * 2


def raising():
    raise RuntimeError("no weights")


MODULES = {
    "looking": lambda: (Looking(), (torch.randn(3, 4),)),
    "raising": raising,
    "alone": lambda: Fine(),
    "fine": lambda: (Fine(), (torch.randn(3, 4),)),
}
"""

LOOKING_WHILE_MADE = """
import torch
from torch import nn


class Rated(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = torch.linspace(0, 1, 3)[1].item()
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        return self.norm(x) * self.rate


MODULES = {"rated": lambda: (Rated(), {"x": torch.randn(3, 4)})}
"""
