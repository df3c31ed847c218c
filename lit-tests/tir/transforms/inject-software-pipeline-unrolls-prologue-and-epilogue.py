# With three stages the prologue and the epilogue are loops to unroll, in which the middle stage is guarded.
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline,tir.Simplify %s | FileCheck %s
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
# RUN: %relayopt --passes='default<tir>' --validate %s | FileCheck %s --check-prefix=LOWERED
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((10,), "float32"), C: T.Buffer((10,), "float32")):
    for i in T.serial(1, 10, annotations={"software_pipeline_stage": [0, 1, 2], "software_pipeline_order": [0, 1, 2]}):
        with T.block(""):
            T.reads(A[i])
            T.writes(C[i])
            S = T.alloc_buffer((1,), "float32")
            M = T.alloc_buffer((1,), "float32")
            with T.block(""):
                T.reads(A[i])
                T.writes(S[0])
                S[0] = A[i]
            with T.block(""):
                T.reads(S[0])
                T.writes(M[0])
                M[0] = S[0] + T.float32(1)
            with T.block(""):
                T.reads(M[0])
                T.writes(C[i])
                C[i] = M[0] * T.float32(2)
# CHECK:      for i in T.unroll(1, 3):
# CHECK-NEXT:   with T.block(""):
# CHECK-NEXT:     T.reads(A[i])
# CHECK-NEXT:     T.writes(S[0:2, 0])
# CHECK-NEXT:     S[i - 1, 0] = A[i]
# CHECK-NEXT:   with T.block(""):
# CHECK-NEXT:     T.where(i == 2)
# CHECK-NEXT:     T.reads(S[0:2, 0])
# CHECK-NEXT:     T.writes(M[0:2, 0])
# CHECK:      for i in range(1, 8):
# CHECK:        S[(i + 1) % 2, 0] = A[i + 2]
# CHECK:        M[i % 2, 0] = S[i % 2, 0] + T.float32(1)
# CHECK:        C[i] = M[(i + 1) % 2, 0] * T.float32(2)
# CHECK:      for i in T.unroll(1, 3):
# CHECK-NEXT:   with T.block(""):
# CHECK-NEXT:     T.where(i < 2)
# VALID: validate: 1 pass: 1 ok
# LOWERED-NOT: T.unroll
