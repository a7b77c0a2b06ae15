import threading
import time

threading.Thread(target=time.sleep, args=(3600,)).start()
