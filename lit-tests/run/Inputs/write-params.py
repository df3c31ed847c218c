"""Writes a parameter file with %b of int64 and %w of float32."""
import struct
import sys

def tensor(code, bits, shape, data):
    return struct.pack("<QQiiiBBH", 0xDD5E40F096B4A13F, 0, 1, 0, len(shape), code, bits, 1) + struct.pack(
        "<%dq" % (len(shape) + 1), *shape, len(data)) + data

names = [b"b", b"w"]
tensors = [tensor(0, 64, [1, 2], struct.pack("<2q", 5, 6)), tensor(2, 32, [2], struct.pack("<2f", 1.5, -2))]
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<QQQ", 0xF7E58D4F05049CB7, 0, len(names)))
    for name in names:
        file.write(struct.pack("<Q", len(name)) + name)
    file.write(struct.pack("<Q", len(tensors)) + b"".join(tensors))
