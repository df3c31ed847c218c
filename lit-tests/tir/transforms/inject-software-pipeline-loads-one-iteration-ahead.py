# A load runs one iteration ahead of its use, into the other one of two versions of the memory.
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline,tir.Simplify %s | FileCheck %s
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8, 4), "float32")):
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1], "kept": 1}):
        with T.block(""):
            T.reads(A[i, 0:4])
            T.writes(C[i, 0:4])
            S = T.alloc_buffer((4,), "float32")
            with T.block("load"):
                T.reads(A[i, 0:4])
                T.writes(S[0:4])
                for j in range(4):
                    S[j] = A[i, j] * T.float32(2)
            for k in range(4):
                C[i, k] = S[3 - k]
# CHECK:      with T.block(""):
# CHECK-NEXT:   T.reads(A[0:8, 0:4])
# CHECK-NEXT:   T.writes(C[0:8, 0:4])
# CHECK-NEXT:   S = T.alloc_buffer((2, 4))
# CHECK-NEXT:   with T.block("load"):
# CHECK-NEXT:     T.reads(A[0, 0:4])
# CHECK-NEXT:     T.writes(S[0, 0:4])
# CHECK-NEXT:     for j in range(4):
# CHECK-NEXT:       S[0, j] = A[0, j] * T.float32(2)
# CHECK-NEXT:   with T.block(""):
# CHECK-NEXT:     T.reads(A[1:8, 0:4], S[0:2, 0:4])
# CHECK-NEXT:     T.writes(S[0:2, 0:4], C[0:7, 0:4])
# CHECK-NEXT:     for i in T.serial(7, annotations={"kept": 1}):
# CHECK-NEXT:       with T.block("load"):
# CHECK-NEXT:         T.reads(A[i + 1, 0:4])
# CHECK-NEXT:         T.writes(S[(i + 1) % 2, 0:4])
# CHECK-NEXT:         for j in range(4):
# CHECK-NEXT:           S[(i + 1) % 2, j] = A[i + 1, j] * T.float32(2)
# CHECK-NEXT:       with T.block(""):
# CHECK-NEXT:         T.reads(S[i % 2, 0:4])
# CHECK-NEXT:         T.writes(C[i, 0:4])
# CHECK-NEXT:         for k in range(4):
# CHECK-NEXT:           C[i, k] = S[i % 2, 3 - k]
# CHECK-NEXT:   with T.block(""):
# CHECK-NEXT:     T.reads(S[1, 0:4])
# CHECK-NEXT:     T.writes(C[7, 0:4])
# CHECK-NEXT:     for k in range(4):
# CHECK-NEXT:       C[7, k] = S[1, 3 - k]
# VALID: validate: 1 pass: 1 ok
