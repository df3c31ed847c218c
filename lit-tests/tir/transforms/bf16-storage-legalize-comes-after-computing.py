# RUN: not %relayopt --passes=tir.BF16StorageLegalize %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.handle("bfloat16")):
    A_1 = T.decl_buffer((100,), "bfloat16", data=A)
    A_1[0] = A_1[0] + A_1[1]
# CHECK: :7:5: error: the program computes with bfloat16: run tir.BF16ComputeLegalize{{.*}} [storage-computes]
