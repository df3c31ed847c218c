"""Prints a function with a chain of branches: long_chain.py LENGTH."""
import sys

print("from tvm.script import tir as T\n@T.prim_func\ndef main(A: T.Buffer((8,), \"float32\"), n: T.int32):")
for i in range(int(sys.argv[1])):
    print(f"    {'if' if i == 0 else 'elif'} n == {i}:\n        A[0] = T.float32({i})")
