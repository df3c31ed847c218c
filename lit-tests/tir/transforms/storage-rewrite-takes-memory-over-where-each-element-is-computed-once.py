# No two iterations of the loops store to the same element: C takes the memory of B over.
# RUN: %relayopt --passes=tir.StorageRewrite %s | FileCheck %s
# RUN: %relayopt --passes=tir.StorageRewrite --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128,), "float32"), E: T.Buffer((128,), "float32")):
    B = T.decl_buffer((128,))
    C = T.decl_buffer((128,))
    for i in range(128):
        B[i] = A[i]
    for i, j, f in T.grid(4, 2, 8):
        C[i * 32 + j * 16 + f] = B[i * 32 + j * 16 + f] * T.float32(2)
    for i in range(128):
        E[i] = A[i]
    for i, j, f in T.grid(4, 2, 8):
        E[i * 32 + j * 16 + f] = C[i * 32 + j * 16 + f]
# CHECK:     B = T.decl_buffer((128,))
# CHECK:     B_1 = T.decl_buffer((128,), data=B.data)
# VALID: validate: {{.*}}: 1 ok
