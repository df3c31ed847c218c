"""Writes a file compressed in each way: compress.py FILE NAME makes NAME.gz, NAME.xz, NAME.zst, and two halves NAME.first.gz, NAME.second.gz."""
import gzip
import lzma
import sys

name = sys.argv[2]
with open(sys.argv[1], "rb") as file:
    data = file.read()


def zstd(data):
    """A frame of Zstandard with one block as it is: magic, header with the size in four bytes, last raw block."""
    block = 1 | len(data) << 3
    return b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little") + block.to_bytes(3, "little") + data


half = len(data) // 2
for ending, content in {
    "gz": gzip.compress(data),
    "xz": lzma.compress(data),
    "zst": zstd(data),
    "first.gz": gzip.compress(data[:half]),
    "second.gz": gzip.compress(data[half:]),
}.items():
    with open(f"{name}.{ending}", "wb") as file:
        file.write(content)
