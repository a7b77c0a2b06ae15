from torch._C._dynamo import eval_frame

found = []


class Asked:
    keep = eval_frame._FrameAction.DEFAULT
    frame_exec_strategy = eval_frame._FrameExecStrategy(keep, keep)
    apply_to_code, guarded_code = False, None


def look(shown, *_):
    if type(shown.f_locals.get("self")).__name__ == "Watch":
        found.append(shown.f_locals["self"])
    return Asked


class Frame:
    f_back = None

    @property
    def f_locals(self):
        return {"watch": found[-1]} if found else {}


def frame():
    before = eval_frame.set_eval_frame(look)
    torch.empty(1)
    eval_frame.set_eval_frame(before)
    return Frame()
