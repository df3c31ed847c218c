# The index fits into 32 bits, and so does everything in it; the extent of the buffer keeps its type.
# RUN: %relayopt '--passes=tir.NarrowDataType<target_bits=32>' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((T.int64(64),), "float32")):
    for i in range(T.int64(16)):
        A[i * T.int64(4)] = T.float32(0)
# CHECK: def main(A: T.Buffer((T.int64(64),), "float32")):
# CHECK-NEXT: for i in range(16):
# CHECK-NEXT:   A[i * 4] = T.float32(0)
