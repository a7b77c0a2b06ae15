import types
from torch.utils._python_dispatch import _get_current_dispatch_mode


class Clone:
    _schema, is_view = types.SimpleNamespace(name="aten::copy_"), False

    def __call__(self, *_):
        compute()


class Asking(list):
    def __setitem__(self, where, what):
        super().__setitem__(where, what)
        mode = _get_current_dispatch_mode()
        if mode is None:
            compute()
        else:
            with _disable_current_modes():
                mode.__torch_dispatch__(Clone(), (), what[0])


NOW = Asking()
