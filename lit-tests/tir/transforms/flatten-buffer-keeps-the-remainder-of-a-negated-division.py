# The remainder of a negated division is not one of the divided variable by a negative number.
# RUN: %relayopt --passes=tir.FlattenBuffer --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((6, 8), "int32"), C: T.Buffer((4, 16), "int32")):
    for i in range(4, 8):
        C[0, i] = B[(1 - i // 4) % 6, 0]
# CHECK: B_1[(1 - i // 4) % 6 * 8]
