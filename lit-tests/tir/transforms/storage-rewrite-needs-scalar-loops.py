# RUN: not %relayopt --passes=tir.StorageRewrite %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    for i in T.vectorized(16):
        A[i] = T.float32(0)
# CHECK: :6:5: error: tir.StorageRewrite: a vectorized loop is left: run tir.VectorizeLoop first
