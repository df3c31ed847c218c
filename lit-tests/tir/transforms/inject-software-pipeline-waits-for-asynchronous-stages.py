# What an asynchronous stage writes is committed, and who reads it waits until it is there.
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline %s | FileCheck %s
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in T.serial(16, annotations={"software_pipeline_stage": [0, 0, 3], "software_pipeline_order": [0, 2, 1], "software_pipeline_async_stages": [0]}):
        with T.block(""):
            T.reads(A[i], B[i])
            T.writes(C[i])
            S = T.alloc_buffer((1,), "float32", scope="shared")
            M = T.alloc_buffer((1,), "float32", scope="shared")
            with T.block(""):
                T.reads(A[i])
                T.writes(S[0])
                S[0] = A[i]
            with T.block(""):
                T.reads(B[i])
                T.writes(M[0])
                M[0] = B[i]
            with T.block(""):
                T.reads(S[0], M[0])
                T.writes(C[i])
                C[i] = S[0] + M[0]
# Before the loop both are one commit.
# CHECK:      for i in T.unroll(3):
# CHECK:        T.attr(0, "async_commit_queue_scope", 0)
# CHECK-NEXT:     with T.attr(0, "async_scope", 1):
# CHECK-NEXT:       S[i % 4, 0] = A[i]
# CHECK-NEXT:     T.attr(0, "async_scope", 1)
# CHECK-NEXT:     M[i % 4, 0] = B[i]
# In the loop three commits of S and two of M are under way.
# CHECK:      for i in range(13):
# CHECK:        T.attr(0, "async_commit_queue_scope", 0)
# CHECK-NEXT:   T.attr(0, "async_scope", 1)
# CHECK-NEXT:   S[(i + 3) % 4, 0] = A[i + 3]
# CHECK:        T.attr(0, "async_wait_queue_scope", 0)
# CHECK-NEXT:   T.attr(0, "async_wait_inflight_count", 5)
# CHECK-NEXT:   C[i - 3 + 3] = S[(i - 3 + 3) % 4, 0] + M[(i - 3 + 3) % 4, 0]
# CHECK:        T.attr(0, "async_commit_queue_scope", 0)
# CHECK-NEXT:   T.attr(0, "async_scope", 1)
# CHECK-NEXT:   M[(i + 3) % 4, 0] = B[i + 3]
# CHECK:      for i in T.unroll(3):
# CHECK:        T.attr(0, "async_wait_inflight_count", 2 - i)
# VALID: validate: 1 pass: 1 ok
