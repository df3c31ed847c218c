# The memory behind a pointer that is bound in the function is not the function's.
# RUN: %relayopt --passes=tir.PlanAndUpdateBufferAllocationLocation --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    p: T.handle("int32") = T.address_of(A[0])
    B = T.Buffer((4,), "int32", data=p)
    for i in range(4):
        B[i] = i
# CHECK-NOT: alloc_buffer
# CHECK: B_1[i] = i
