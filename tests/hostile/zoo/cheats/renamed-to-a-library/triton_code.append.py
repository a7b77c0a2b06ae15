from types import FunctionType

frame = FunctionType(frame.__code__.replace(co_filename=torch.__file__), globals())
