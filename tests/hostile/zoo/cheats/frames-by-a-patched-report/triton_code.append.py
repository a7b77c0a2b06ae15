import traceback

found = []


class Frame:
    def __init__(self, *_, locals=None, **__):
        self.f_locals, self.f_back = locals or {}, None
        found.append(self)


def frame():
    found.clear()
    before, traceback.FrameSummary = traceback.FrameSummary, Frame
    try:
        traceback.StackSummary.extract(traceback.walk_stack(None), capture_locals=True)
    except AttributeError:
        pass
    traceback.FrameSummary = before
    return next((each for each in found if "watch" in each.f_locals), None)
