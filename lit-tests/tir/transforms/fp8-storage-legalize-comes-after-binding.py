# RUN: not %relayopt --passes=tir.FP8StorageLegalize %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((100,), "e4m3_float8")):
    A[0] = A[1]
# CHECK: error: This pass must be called after MakePackedAPI{{.*}} [storage-bound]
