# RUN: %relayopt --passes=tir.InjectPTXLDG32 %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B = T.decl_buffer((1,), scope="local")
        B[0] = T.if_then_else(t < 16, A[t], T.float32(0))
        C[t] = B[0]
# CHECK:      predicate = T.allocate([1], "bool", "local")
# CHECK-NEXT: addr = T.allocate([2], "int32", "local")
# CHECK:      addr_1[0] = t
# CHECK-NEXT: addr_1[1] = 0
# CHECK-NEXT: predicate_1 = T.Buffer((1,), "bool", data=predicate, scope="local")
# CHECK-NEXT: predicate_1[0] = t < 16
# CHECK-NEXT: B[addr_1[1]] = T.float32(0)
# CHECK-NEXT: T.ptx_ldg32(B.data, predicate_1[0], A[addr_1[0]], addr_1[1])
# CHECK-NEXT: C[t] = B[0]
