found = []


class Name:
    def __eq__(self, other):
        found.append(sys._getframe())
        raise LookupError

    def __str__(self):
        return str(self == "")


def frame():
    for event in (("import", Name()), ("open", Name(), "w", 1)):
        try:
            sys.audit(*event)
        except LookupError:
            return found.pop()
