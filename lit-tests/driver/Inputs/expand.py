"""expand.py NAME: writes NAME.gz, NAME.xz and NAME.npz, of which each holds 256 MiB of spaces or zeros, and NAME.small.gz with a program in a megabyte."""
import gzip
import io
import lzma
import struct
import sys
import zlib

name = sys.argv[1]
MEGABYTE = b" " * (1 << 20)

# The members of both formats follow each other, so that one is enough.
for ending, compress in (("gz", gzip.compress), ("xz", lzma.compress)):
    with open(f"{name}.{ending}", "wb") as file:
        file.write(compress(MEGABYTE * 8) * 32)
with open(f"{name}.small.gz", "wb") as file:
    file.write(gzip.compress(b"#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(2), float32]) { nn.relu(%x) }" + MEGABYTE))

header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (67108864,), }"
header += b" " * (-(len(header) + 11) % 64) + b"\n"
start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
zeros = bytes(1 << 20)
packer = zlib.compressobj(9, zlib.DEFLATED, -15)
packed = packer.compress(start)
# After a full flush the same bytes are packed in the same way.
packed += packer.flush(zlib.Z_FULL_FLUSH) + (packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)) * 256 + packer.flush()
crc = zlib.crc32(start)
for _ in range(256):
    crc = zlib.crc32(zeros, crc)
size = len(start) + (1 << 28)
fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x21, crc, len(packed), size, 5, 0)
archive = io.BytesIO()
archive.write(b"PK\x03\x04" + fields + b"x.npy" + packed)
at = archive.tell()
archive.write(b"PK\x01\x02" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + b"x.npy")
directory = archive.tell() - at
archive.write(b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, directory, at, 0))
with open(f"{name}.npz", "wb") as file:
    file.write(archive.getvalue())
