# A loop that carries values in a buffer stays inside of its allocation; one whose iterations write what they read gets
# its own. A condition that is the same in the whole iteration is no sure write.
# RUN: %relayopt --passes=tir.PlanAndUpdateBufferAllocationLocation %s | FileCheck %s
# RUN: %relayopt --passes=tir.PlanAndUpdateBufferAllocationLocation --validate --disable-output %s 2>&1 | FileCheck --check-prefix=VALID %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 8), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((16,))
    S = T.alloc_buffer((1,))
    for i, k in T.grid(16, 8):
        with T.block("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(B[vi], C[vi])
            if vk == 0:
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
            C[vi] = B[vi]
    for i in range(16):
        with T.block("scan"):
            vi = T.axis.spatial(16, i)
            T.reads(C[vi], S[0])
            T.writes(C[vi], S[0])
            if vi == 0:
                S[0] = T.float32(0)
            S[0] = S[0] + C[vi]
            C[vi] = S[0]
# CHECK:      # with T.block("root"):
# CHECK-NEXT: S = T.alloc_buffer((1,))
# CHECK-NEXT: for i in range(16):
# CHECK-NEXT:     with T.block(""):
# CHECK-NEXT:         T.reads(A[i, 0:8])
# CHECK-NEXT:         T.writes(C[i])
# CHECK-NEXT:         B = T.alloc_buffer((16,))
# CHECK-NEXT:         for k in range(8):
# CHECK:      T.reads(C[vi], S[0])
# VALID: validate: 1 pass: 1 ok
