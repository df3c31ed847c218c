# A later block that reads the result outside of loops over its threads is run by the first of them only.
# RUN: %relayopt %s --passes=tir.LowerCrossThreadReduction | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4, 32), "float32")):
    S = T.alloc_buffer((4,), scope="shared")
    L = T.alloc_buffer((4,), scope="local")
    for i in T.thread_binding(4, thread="blockIdx.x"):
        for k in T.thread_binding(32, thread="threadIdx.x"):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(S[vi])
                with T.init():
                    S[vi] = T.float32(0)
                S[vi] = S[vi] + A[vi, vk]
        with T.block("alone"):
            vi = T.axis.spatial(4, i)
            T.reads(S[vi])
            T.writes(B[vi])
            B[vi] = S[vi] * T.float32(2)
        with T.block("own"):
            vi = T.axis.spatial(4, i)
            T.reads(S[vi])
            T.writes(L[vi])
            L[vi] = S[vi]
        for j in T.thread_binding(32, thread="threadIdx.x"):
            with T.block("all"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(S[vi], A[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = A[vi, vj] - S[vi]

# CHECK: with T.block("sum_write_back"):
# CHECK: for tx in T.thread_binding(32, thread="threadIdx.x"):
# CHECK-NEXT: with T.block("alone"):
# CHECK-NEXT: vi = T.axis.spatial(4, i)
# CHECK-NEXT: T.where(tx == 0)
# CHECK: {{^            }}with T.block("own"):
# CHECK-NEXT: vi = T.axis.spatial(4, i)
# CHECK-NEXT: T.reads(S[vi])
# CHECK: for j in T.thread_binding(32, thread="threadIdx.x"):
# CHECK-NEXT: with T.block("all"):
# CHECK-NOT: T.where
