import ast
from typing import Any

from ingest.inductor.graph import read_graph
from tests.ingest.inductor.trees import GRAPH


def test_a_graph_becomes_a_valid_python_module() -> None:
    graph = read_graph("g.py", GRAPH)

    assert graph.text == GRAPH
    assert graph.missing == ""
    defined = ast.parse(graph.module).body
    assert isinstance(defined[-1], ast.ClassDef)
    assert defined[-1].name == "GraphModule"


def test_a_graph_module_can_be_executed() -> None:
    import torch

    namespace: dict[str, Any] = {}
    exec(compile(read_graph("g.py", GRAPH).module, "g.py", "exec"), namespace)  # noqa: S102

    (out,) = namespace["GraphModule"]()(torch.full((8, 4), -1.0), torch.full((4,), 3.0))

    assert torch.equal(out, torch.full((8, 4), 2.0))


def test_names_that_a_graph_uses_implicitly_are_imported() -> None:
    body = "        return torch.full([2], -inf, device = device(type='cpu'))\n"
    graph = read_graph("g.py", f"class <lambda>(torch.nn.Module):\n    def forward(self):\n{body}")

    assert graph.module.splitlines()[:3] == [
        "import torch",
        "from torch import device",
        "from math import inf",
    ]


def test_a_graph_names_the_constant_whose_value_is_missing() -> None:
    body = (
        "        c = self._tensor_constant0\n        g = self.true_graph_0\n        return (c,)\n"
    )
    inner = (
        "    class true_graph_0(torch.nn.Module):\n        def forward(self):\n            pass\n"
    )
    graph = read_graph(
        "g.py", f"class GraphModule(torch.nn.Module):\n    def forward(self):\n{body}\n{inner}"
    )

    assert graph.module
    assert graph.missing == "it reads self._tensor_constant0, whose value is not kept"


def test_a_text_without_a_graph_is_kept_with_the_reason() -> None:
    assert read_graph("g.py", "hello").missing == "it holds no graph module"
    broken = read_graph("g.py", "class <lambda>(torch.nn.Module):\n    def forward(self:\n  (((")
    assert (broken.module, broken.text[:5]) == ("", "class")
    assert "not valid Python" in broken.missing
