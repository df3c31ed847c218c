# Only the blocks in it get theirs.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    with T.block("root"):
        for i in range(8):
            with T.block("b"):
                vi = T.axis.spatial(8, i)
                A[vi] = T.float32(1)
# CHECK-NOT: T.writes(A[0:8])
# CHECK: T.writes(A[vi])
