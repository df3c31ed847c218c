# Memory that is read before it is written for the next iteration stays single, unless a block asks for two halves.
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline %s | FileCheck %s
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")):
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 0, 1], "software_pipeline_order": [1, 2, 0]}):
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
                T.reads(A[i])
                T.writes(M[0])
                T.block_attr({"double_buffer_scope": 0})
                M[0] = A[i] + T.float32(1)
            with T.block(""):
                T.reads(S[0], M[0])
                T.writes(C[i])
                C[i] = S[0] * M[0]
# CHECK: S = T.alloc_buffer((1,))
# CHECK: M = T.alloc_buffer((2, 1))
# CHECK: for i in range(7):
# CHECK:   C[i - 1 + 1] = S[0] * M[(i - 1 + 1) % 2, 0]
# CHECK:   S[0] = A[i + 1]
# CHECK:   M[(i + 1) % 2, 0] = A[i + 1] + T.float32(1)
# VALID: validate: 1 pass: 1 ok
