# RUN: %relayopt --passes=tir.ConvertForLoopsToSerial --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 4), "float32")):
    for i in T.parallel(4):
        for j in T.parallel(4):
            for k in T.vectorized(1):
                A[i, j] = T.float32(1)
# CHECK: for i, j in T.grid(4, 4):
# CHECK: for k in T.vectorized(1):
