"""Debug folders in the shapes that torch.compile leaves behind, at small scale."""

from dataclasses import dataclass
from pathlib import Path

DEVICE_A = "type='cuda', index=0, cc=90, major=9, multi_processor_count=132, warp_size=32"
DEVICE_B = "type='cuda', index=3, cc=80, major=8, multi_processor_count=108, warp_size=32"

MODULE_HEAD = """\
# AOT ID: ['0_inference']
import torch
import triton
from torch._inductor.async_compile import AsyncCompile
async_compile = AsyncCompile()

"""
MODULE_TAIL = """

async_compile.wait(globals())
del async_compile

def call(args):
    return (args[0],)
"""
GRAPH = """\
class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[8, 4]", arg1_1: "f32[4]"):
        # File: model.py:3 in forward, code: return (x + self.bias).relu()
        add: "f32[8, 4]" = torch.ops.aten.add.Tensor(arg0_1, arg1_1);  arg0_1 = arg1_1 = None
        relu: "f32[8, 4]" = torch.ops.aten.relu.default(add);  add = None
        return (relu,)
        """


@dataclass(frozen=True, slots=True)
class Made:
    """A kernel to write: what is equal for two kernels is what makes them one."""

    name: str
    body: str = "tmp0 + 1.0"
    device: str = DEVICE_A
    backend_hash: str = "AB12"
    numel: int = 32

    @property
    def source(self) -> str:
        return f"""\
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.hints import DeviceProperties

@triton_heuristics.pointwise(
    size_hints=[{self.numel}], 
    filename=__file__,
    triton_meta={{'signature': {{'in_ptr0': '*fp32'}}, 'device': DeviceProperties({self.device})}},
    inductor_meta={{'autotune_hints': set(), 'kernel_name': '{self.name}', 'num_load': 1, 'backend_hash': '{self.backend_hash}'}},
    min_elem_per_thread=0
)
@triton.jit
def {self.name}(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = {self.numel}
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (xindex), xindex < xnumel)
    tl.store(out_ptr0 + (xindex), {self.body}, xindex < xnumel)
"""  # noqa: E501

    @property
    def call(self) -> str:
        return f"""
# kernel path: /tmp/torchinductor_me/ab/{self.file}
# Topologically Sorted Source Nodes: [add, out], Original ATen: [aten.add, aten.relu]
# Source node to ATen node mapping:
#   add => add
#   out => full_default, relu
# Graph fragment:
#   %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg0_1, %arg1_1), kwargs = {{}})
#   %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%add,), kwargs = {{}})
{self.name} = async_compile.triton('{self.name}', '''
{self.source}''', device_str='cuda')
"""  # noqa: E501

    @property
    def file(self) -> str:
        return f"c{abs(hash(self)):x}.py"


def module(*kernels: Made) -> str:
    return MODULE_HEAD + "".join(kernel.call for kernel in kernels) + MODULE_TAIL


def write_trace(folder: Path, *kernels: Made, graph: str = GRAPH, copies: bool = False) -> Path:
    """One trace; `copies` adds the kernels as files beside it, as the predecessor did."""
    folder.mkdir(parents=True)
    (folder / "output_code.py").write_text(module(*kernels))
    if graph:
        (folder / "fx_graph_readable.py").write_text(graph)
    if copies:
        (folder / "kernels").mkdir()
        for kernel in kernels:
            (folder / "kernels" / kernel.file).write_text(f"\n{kernel.source}")
    return folder
