"""shared.py -- a translated file as a shared object, driven by ctypes, from several threads"""

import ctypes
import sys
import threading

lib = ctypes.CDLL(sys.argv[1])
lib.tile_emu_errors.restype = lib.tile_emu_unwritten.restype = ctypes.c_int64
for name in "tile_emu_register", "tile_emu_unregister", "tile_emu_unwritten":
    getattr(lib, name).argtypes = [ctypes.c_void_p] + [ctypes.c_size_t, ctypes.c_char_p,
                                                       ctypes.c_int] * (name[9:] == "register")
results = []


def run(rows, columns):
    """Softmax of equal numbers: each element is 1 / columns."""
    n = rows * columns
    x, y = (ctypes.c_float * n)(*[1.0] * n), (ctypes.c_float * n)()
    lib.tile_emu_register(x, 4 * n, b"x", 2)
    lib.tile_emu_register(y, 4 * n, b"y", 1)
    error = lib.softmax(y, x, ctypes.c_int64(rows), ctypes.c_int64(columns), None)
    good = error == 0 and all(abs(v * columns - 1) < 1e-6 for v in y)
    good = good and lib.tile_emu_unwritten(y) in (0, -1)
    lib.tile_emu_unregister(x)
    lib.tile_emu_unregister(y)
    results.append(good)


run(3, 1001)
workers = [threading.Thread(target=run, args=(3, 2000)) for _ in range(4)]
for w in workers:
    w.start()
for w in workers:
    w.join()
print("ok" if all(results) and lib.tile_emu_errors() == 0 else "FAIL", "shared object by ctypes")
