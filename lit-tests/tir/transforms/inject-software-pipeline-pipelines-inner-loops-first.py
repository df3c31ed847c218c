# The prologue, the loop and the epilogue of an inner pipeline are three steps of the outer one, which may run the
# prologue one iteration ahead.
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline,tir.Simplify %s | FileCheck %s
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 0, 1, 1], "software_pipeline_order": [0, 2, 1, 3]}):
        with T.block(""):
            T.reads(A[i, 0:8])
            T.writes(C[i, 0:8])
            S = T.alloc_buffer((8,), "float32")
            for j in range(8):
                S[j] = A[i, j]
            for j in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
                with T.block(""):
                    T.reads(S[j])
                    T.writes(C[i, j])
                    M = T.alloc_buffer((1,), "float32")
                    M[0] = S[j] * T.float32(2)
                    C[i, j] = M[0] + T.float32(1)
# CHECK:      S = T.alloc_buffer((2, 8))
# CHECK-NEXT: M = T.alloc_buffer((2, 1))
# CHECK:          S[0, j] = A[0, j]
# CHECK:          M[0, 0] = S[0, 0] * T.float32(2)
# CHECK:      for i in range(7):
# CHECK:            S[(i + 1) % 2, j] = A[i + 1, j]
# CHECK:          for j in range(7):
# CHECK:            M[(j + 1) % 2, 0] = S[i % 2, j + 1] * T.float32(2)
# CHECK:            C[i, j] = M[j % 2, 0] + T.float32(1)
# CHECK:          M[0, 0] = S[(i + 1) % 2, 0] * T.float32(2)
# CHECK:          C[i, 7] = M[1, 0] + T.float32(1)
# VALID: validate: 1 pass: 1 ok
