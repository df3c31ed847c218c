"""Writes FILE.npz and FILE.safetensors, in which two tensors are the same bytes: shared_bytes.py FILE."""
import json
import struct
import sys

HEADER = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
ARRAY = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(HEADER)) + HEADER + struct.pack("<2f", 1, 2)


def zip_of_one_entry(names):
    """An archive of one stored array, which its directory lists under several names."""
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 0, 0, 0, 0, len(ARRAY), len(ARRAY), 5, 0) + b"a.npy" + ARRAY
    directory = b"".join(
        struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 0, 0, 0, 0, len(ARRAY), len(ARRAY), len(name), 0, 0, 0, 0, 0, 0) + name
        for name in names)
    return local + directory + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(names), len(names), len(directory), len(local), 0)


def main():
    with open(sys.argv[1] + ".npz", "wb") as file:
        file.write(zip_of_one_entry([b"a.npy"] + [b"b.npy"] * 20))
    entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    header = json.dumps({"a": entry, "b": entry}).encode()
    with open(sys.argv[1] + ".safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + bytes(8))


main()
