# Variables whose names mean something else to a reader get others: the modules T, I and R, the class, range.
# RUN: %relayopt %s | FileCheck %s
# RUN: %relayopt %s --verify-roundtrip --disable-output
from tvm.script import tir as T


@T.prim_func
def main(I: T.int32, R: T.int32, cls: T.int32, A: T.Buffer((4,), "float32")):
    for range in T.serial(4):
        A[range] = T.Cast("float32", I + R + cls)
    T = T.allocate([4], "float32", "shared.dyn")


# CHECK: def main(I_1: T.int32, R_1: T.int32, cls_1: T.int32, A: T.Buffer((4,), "float32")):
# CHECK: for range_1 in range(4):
# CHECK: A[range_1] = T.Cast("float32", I_1 + R_1 + cls_1)
# CHECK: T_1 = T.allocate([4], "float32", "shared.dyn")
