from pathlib import Path

for module in (torch, triton):
    with Path(module.__file__).with_name("version.py").open("a"):
        pass
