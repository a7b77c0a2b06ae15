import weakref

asked = []
add_kernel.add_pre_run_hook(
    lambda first, *_, **__: asked.append(weakref.ref(first, lambda _: compute()))
)
