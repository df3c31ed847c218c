# RUN: %relayopt --passes='tir.LiftAttrScope<attr_key=k>' %s | FileCheck %s
# RUN: not %relayopt --passes=tir.LiftAttrScope %s 2>&1 | FileCheck --check-prefix=KEY %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    for i in range(4):
        with T.attr(0, "k", 1):
            A[i] = 1
        with T.attr(0, "k", 1):
            A[i + 4] = 2
    with T.attr(0, "k", 2):
        A[8] = 3
# CHECK:      with T.attr(0, "k", 1):
# CHECK-NEXT:   for i in range(4):
# CHECK-NEXT:     A[i] = 1
# CHECK-NEXT:     A[i + 4] = 2
# CHECK-NEXT: T.attr(0, "k", 2)
# CHECK-NEXT: A[8] = 3
# KEY: error: tir.LiftAttrScope needs the key of the attribute{{.*}} [lift-attr-key]
