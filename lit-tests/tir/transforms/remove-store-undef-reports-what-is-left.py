# RUN: not %relayopt --passes=tir.RemoveStoreUndef %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    A[T.undef(dtype="int32")] = 1
# CHECK: error: T.undef() is left here{{.*}} [undef-left]
