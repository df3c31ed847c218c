# RUN: not %relayopt --passes=tir.BF16StorageLegalize %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(p: T.handle("float32")):
    A = T.Buffer((16,), "bfloat16", data=p)
    A[0] = A[1]
# CHECK: :7:5: error: Cannot find var remap for A: its pointer has another type of elements
