# A loop with fewer iterations than stages runs each step once for each iteration, also where the number is not known.
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline,tir.Simplify %s | FileCheck %s
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, c: T.handle, D: T.Buffer((1,), "float32")):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    C = T.match_buffer(c, (n,), "float32")
    for i in T.serial(n, annotations={"software_pipeline_stage": [0, 1, 2], "software_pipeline_order": [0, 1, 2]}):
        with T.block(""):
            T.reads(A[i], D[0])
            T.writes(C[i], D[0])
            S = T.alloc_buffer((1,), "float32")
            M = T.alloc_buffer((1,), "float32")
            S[0] = A[i]
            with T.block(""):
                T.reads(S[0], D[0])
                T.writes(M[0], D[0])
                for j in range(2):
                    M[0] = S[0]
                    D[0] = D[0] + T.float32(1)
            C[i] = M[0]
# CHECK: for i in T.unroll(2):
# CHECK:     T.where(i < n)
# CHECK:     T.where(i == 1 and i <= n)
# CHECK: for i in range(n - 2):
# CHECK: for i in T.unroll(2):
# CHECK:     T.where(1 <= i + n and i + n == n and 2 <= i + n)
# VALID: validate: 1 pass: 1 ok
