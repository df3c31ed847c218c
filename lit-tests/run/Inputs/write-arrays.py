#!/usr/bin/env python3
"""Writes vectors of float32, or with a type in front of another one, into an archive: write-arrays.py FILE.npz NAME=1,2 NAME=int64:3"""
import struct
import sys
import zipfile

FORMATS = {"float32": ("<f4", "f"), "int64": ("<i8", "q"), "bool": ("|b1", "?")}

with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for word in sys.argv[2:]:
        name, _, text = word.partition("=")
        dtype, colon, numbers = text.rpartition(":")
        descr, code = FORMATS[dtype or "float32"]
        values = [float(v) if code == "f" else int(v) for v in numbers.split(",") if v]
        header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (descr, len(values))
        header += " " * (63 - (len(header) + 10) % 64) + "\n"
        data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
        archive.writestr(name + ".npy", data + struct.pack("<%d%s" % (len(values), code), *values))
