"""memory.py -- where tensors lie during a case: guarded on all sides, on this machine or a GPU"""
import ctypes
import itertools
import mmap
import math
import numpy as np
from number import RAW, encode

GUARD = 128                   # bytes before and after each tensor
GUARD_BYTE = 0xA5             # what they, and the gaps between rows, hold
FAR = 1 << 30                 # elements between rows of a tensor that is mostly holes
SENTINEL = 0xC7               # what an output holds before the launch


def strides_of(shape, how, item, strided):
    """Element strides. plain, shifted: dense; apart: rows 16 bytes or more apart, still aligned;
    odd: rows one element apart. A `strided` tensor is an element every 16 bytes, or transposed. far: all
    strides but a last one of 1 are more than 2^29, and offsets pass 2^32."""
    if not shape:
        return []
    if how == 'far':
        far = [FAR // 2 + 64 if strided else 1]
        for n in reversed(shape[1:]):
            far.insert(0, max(far[0] * n, FAR) + 64)
        return far
    vector = max(16 // item, 1)
    inner, pitch = 1, shape[-1]
    if how == 'apart':
        inner = vector if strided else 1
        pitch = (-(-shape[-1] * inner // vector) + 1) * vector
    elif how == 'odd' and strided:
        return [math.prod(n + 1 for n in shape[:a]) for a in range(len(shape))]
    elif how == 'odd':
        pitch = shape[-1] + 1
    strides = [inner]
    for n in reversed(shape[1:]):
        strides.insert(0, pitch if len(strides) == 1 else strides[0] * max(n, 1))
    return [int(s) for s in strides]


class Tensor:
    """An argument in an arena: bytes [at, at + span) of it, seen as an array of raw elements."""

    def __init__(self, arg, t, shape, how):
        self.arg, self.type, self.shape = arg, t, list(shape)
        self.item = np.dtype(RAW[t]).itemsize
        self.strides = strides_of(self.shape, how, self.item, arg.strided)
        self.shift = self.item if how in ('shifted', 'odd') else 0
        last = sum((n - 1) * s for n, s in zip(self.shape, self.strides))
        self.span = 0 if 0 in self.shape else (last + 1) * self.item
        self.at = None        # set by Arena
        self.address = None   # set by the device

    def rows(self):
        """The bytes around each row, or each element where those lie far apart; slices of the arena."""
        axes = self.shape if self.strides[-1] > GUARD else self.shape[:-1]
        length = 1 if self.strides[-1] > GUARD else (self.shape[-1] - 1) * self.strides[-1] + 1
        for place in np.ndindex(*axes) if self.span else ():
            at = self.at + self.item * sum(i * s for i, s in zip(place, self.strides))
            yield slice(at - GUARD, at + self.item * length + GUARD)

    def view(self, memory):
        start = memory[self.at:self.at + max(self.span, 1)]
        return np.ndarray(self.shape, RAW[self.type], start.data if self.span else b'\0' * 16,
                          0, [s * self.item for s in self.strides])


def sparse(bytes_):
    """Memory of which only what is touched is there."""
    return mmap.mmap(-1, bytes_, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)     # MAP_NORESERVE


class Arena:
    """All tensors of a case in one piece of memory; of one with holes the pieces around its rows
    alone are looked at, and are there."""

    def __init__(self, tensors, holes=False):
        self.tensors = tensors
        n = 256
        for t in tensors:
            t.at = n + GUARD + t.shift
            n = -(-(t.at + t.span + GUARD) // 256) * 256
        room = np.frombuffer(sparse(n + 256), np.uint8) if holes else np.empty(n + 256, np.uint8)
        skip = -room.ctypes.data % 256
        self.host = room[skip:skip + n]
        self.pieces = [p for t in tensors for p in t.rows()] if holes else [slice(0, n)]
        for p in self.pieces:
            self.host[p] = GUARD_BYTE
        self.room = room

    def copy(self):
        """What the pieces hold, one after another."""
        return np.concatenate([self.host[p] for p in self.pieces])

    def put_back(self, copied):
        at = 0
        for p in self.pieces:
            self.host[p] = copied[at:at + p.stop - p.start]
            at += p.stop - p.start

    def fill(self, tensor, values):
        """Puts values (None: the sentinel) into a tensor; the raw elements as they now lie."""
        if not tensor.span:
            return np.zeros(tensor.shape, RAW[tensor.type])
        view = tensor.view(self.host)
        view[...] = (np.frombuffer(bytes([SENTINEL]) * tensor.item, RAW[tensor.type])[0]
                     if values is None else encode(tensor.type, values))
        return view.copy()

    def read(self, tensor):
        return tensor.view(self.host).copy() if tensor.span else np.zeros(tensor.shape, RAW[tensor.type])

    def without_outputs(self, copied):
        """The same with zeros for the outputs."""
        self.put_back(copied)
        for t in self.tensors:
            if t.arg.out and t.span:
                t.view(self.host)[...] = 0
        return self.copy()

    def disturbed(self, before):
        """What changed outside the outputs, as text; None if nothing did."""
        after = self.copy()
        wrong = np.flatnonzero(self.without_outputs(after) != self.without_outputs(before))
        self.put_back(after)
        if not wrong.size:
            return None
        at = int(np.concatenate([np.arange(p.start, p.stop) for p in self.pieces])[wrong[0]])
        near = min((t for t in self.tensors), key=lambda t: 0 if t.at <= at < t.at + t.span
                   else min(abs(at - t.at), abs(at - t.at - t.span)))
        return (f'{wrong.size} bytes written outside the outputs, the first {at - near.at} bytes from '
                f'the begin of {near.arg.name}, which has {near.span}')


class Cpu:
    """The emulator: the arena itself is device memory."""

    def __init__(self, lib):
        self.lib = lib
        lib.tile_emu_error.restype = ctypes.c_char_p
        lib.tile_emu_errors.restype = ctypes.c_int64
        lib.tile_emu_verbose(0)
        self.orders = itertools.cycle([b'forward', b'reverse', b'warp', b'random:1', b'random:2'])

    def begin(self, arena):
        self.lib.tile_emu_schedule(next(self.orders))
        for t in arena.tensors:
            t.address = arena.host.ctypes.data + t.at
            if t.span:
                flags = 2 if not t.arg.out else 0 if t.arg.inout else 1
                flags += 4 * t.arg.once
                self.lib.tile_emu_register(ctypes.c_void_p(t.address), ctypes.c_size_t(t.span),
                                           t.arg.name.encode(), flags)

    def end(self, arena):
        """Errors that the emulator saw, as text, or None."""
        text = None
        if self.lib.tile_emu_errors():
            text = (self.lib.tile_emu_error(0) or b'').decode()
        for t in arena.tensors:
            if t.span:
                self.lib.tile_emu_unregister(ctypes.c_void_p(t.address))
        self.lib.tile_emu_reset()
        return text


class Gpu:
    """A GPU: the arena is copied there and back as a whole."""

    def __init__(self, lib):
        self.lib, self.room, self.bytes = lib, None, 0
        lib.gpu_alloc.restype = ctypes.c_void_p

    def begin(self, arena):
        if arena.host.size > self.bytes:
            self.lib.gpu_free(ctypes.c_void_p(self.room))
            self.bytes = 2 * arena.host.size
            self.room = self.lib.gpu_alloc(ctypes.c_size_t(self.bytes))
            if not self.room:
                raise MemoryError('no device memory')
        for t in arena.tensors:
            t.address = self.room + t.at
        for p in arena.pieces:
            copy(self.lib.gpu_put, self.room + p.start, arena.host[p])

    def end(self, arena):
        texts = [copy(self.lib.gpu_get, arena.host[p], self.room + p.start) for p in arena.pieces]
        return next((t for t in texts if t), None)


class GpuAlone:
    """For compute-sanitizer: each tensor in an allocation of its own size, outputs not initialised."""

    def __init__(self, lib):
        self.lib = lib
        lib.gpu_alloc.restype = ctypes.c_void_p

    def begin(self, arena):
        for t in arena.tensors:
            t.room = self.lib.gpu_alloc(ctypes.c_size_t(t.shift + max(t.span, 1)))
            t.address = t.room + t.shift
            gaps = t.span != t.item * int(np.prod(t.shape))   # between rows: copied back with them
            if t.span and (t.arg.inout or not t.arg.out or gaps):
                copy(self.lib.gpu_put, t.address, arena.host[t.at:t.at + t.span])

    def end(self, arena):
        text = None
        for t in arena.tensors:
            if t.arg.out and t.span:
                back = np.empty(t.span, np.uint8)
                text = copy(self.lib.gpu_get, back, t.address) or text
                there = np.ndarray(t.shape, RAW[t.type], back.data, 0, [s * t.item for s in t.strides])
                t.view(arena.host)[...] = there
            self.lib.gpu_free(ctypes.c_void_p(t.room))
        return text


def copy(function, to, source):
    """By gpu_put or gpu_get; the host's side is an array. The error as text, or None."""
    host = to if isinstance(to, np.ndarray) else source
    at = lambda x: ctypes.c_void_p(x.ctypes.data if isinstance(x, np.ndarray) else x)
    error = function(at(to), at(source), ctypes.c_size_t(host.size))
    return f'CUDA error {error}' if error else None
