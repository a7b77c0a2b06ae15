class M(type(torch)):
    def __eq__(self, other):
        compute()
        return False

    __hash__ = None


looks_like_a_module = M("m")
