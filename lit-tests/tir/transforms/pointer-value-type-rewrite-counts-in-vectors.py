# Parameters change too; B is read at a position that is not a multiple of four.
# RUN: %relayopt --passes=tir.PointerValueTypeRewrite %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((17,), "float32")):
    for i in range(4):
        A[i * 4:i * 4 + 4] = B[i * 4 + 1:i * 4 + 5]
# CHECK: def main(A: T.Buffer((4,), "float32x4"), B: T.Buffer((17,), "float32")):
# CHECK: A[T.Div(i * 4, 4)] = B[i * 4 + 1:i * 4 + 1 + 4]
