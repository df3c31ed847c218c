# `-o FILE.py` writes Relax for modules of Relay; tensor programs have their own Python.
# RUN: %relayopt %s --passes=tir.Simplify -o %t.py
# RUN: FileCheck %s --input-file=%t.py
# RUN: %relayopt %t.py --passes=tir.Simplify | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32"), i: T.int32):
    A[i * 2 - i] = T.float32(1)
# CHECK: @T.prim_func
# CHECK-NEXT: def main(
# CHECK-NEXT: A[i] = T.float32(1)
