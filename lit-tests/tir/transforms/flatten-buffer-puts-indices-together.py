# The parameter keeps its shape; a flat alias is beside it, and what was split comes back whole.
# RUN: %relayopt --passes=tir.FlattenBuffer %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 8), "float32")):
    for i in range(128):
        A[i // 8, i % 8] = T.float32(0)
# CHECK:      def main(A: T.Buffer((16, 8), "float32")):
# CHECK:      A_1 = T.Buffer((128,), data=A.data)
# CHECK:      A_1[i] = T.float32(0)
