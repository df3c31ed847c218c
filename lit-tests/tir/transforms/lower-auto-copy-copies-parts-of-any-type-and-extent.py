# Extents that threads and vectors do not divide, parts of the source, and bytes: all elements are copied, and no others.
# RUN: %relayopt --passes=tir.LowerAutoCopy --validate=each --validate-edge --disable-output %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def bytes(A: T.Buffer((18, 44), "int8"), C: T.Buffer((9, 40), "int8")):
    for zt in T.thread_binding(2, thread="threadIdx.z"):
        for xt in T.thread_binding(32, thread="threadIdx.x"):
            with T.block(""):
                T.reads(A[9:18, 4:44])
                T.writes(C[0:9, 0:40])
                S = T.alloc_buffer((9, 40), "int8", scope="shared")
                with T.block("S"):
                    T.reads(A[9:18, 4:44])
                    T.writes(S[0:9, 0:40])
                    T.block_attr({"auto_copy": 1, "vector_bytes": 4, "local_stage": 1})
                    for i, j in T.grid(9, 40):
                        S[i, j] = A[i + 9, j + 4]
                T.tvm_storage_sync("shared")
                with T.block("C"):
                    T.reads(S[0:9, 0:40])
                    T.writes(C[0:9, 0:40])
                    for i, j in T.grid(9, 40):
                        C[i, j] = S[i, j]

@T.prim_func
def transposed(A: T.Buffer((16, 33), "float64"), C: T.Buffer((33, 16), "float64")):
    for yt in T.thread_binding(4, thread="threadIdx.y"):
        for xt in T.thread_binding(8, thread="threadIdx.x"):
            with T.block(""):
                T.reads(A[0:16, 0:33])
                T.writes(C[0:33, 0:16])
                S = T.alloc_buffer((16, 33), "float64", scope="shared.dyn")
                with T.block("S"):
                    T.reads(A[0:16, 0:33])
                    T.writes(S[0:16, 0:33])
                    for i, j in T.grid(16, 33):
                        S[i, j] = A[i, j]
                T.tvm_storage_sync("shared")
                with T.block("C"):
                    T.reads(S[0:16, 0:33])
                    T.writes(C[0:33, 0:16])
                    T.block_attr({"auto_copy": 1, "vector_bytes": 16})
                    for i, j in T.grid(16, 33):
                        C[j, i] = S[i, j]
# CHECK: 0 mismatches, 0 unchanged, 0 not validated
