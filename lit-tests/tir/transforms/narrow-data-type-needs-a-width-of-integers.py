# There is no type of 33 bits.
# RUN: not %relayopt '--passes=tir.NarrowDataType<target_bits=33>' %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int64):
    T.evaluate(n)
# CHECK: error: NarrowDataType: target_bits must be 8, 16, 32 or 64
