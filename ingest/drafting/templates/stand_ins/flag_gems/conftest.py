TO_CPU = False
QUICK_MODE = False
