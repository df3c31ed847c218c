# In the second round C[i] would be computed from what the first one left in the place of B[i].
# RUN: %relayopt --passes=tir.StorageRewrite %s | FileCheck %s
# RUN: %relayopt --passes=tir.StorageRewrite --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), E: T.Buffer((16,), "float32")):
    B = T.decl_buffer((16,))
    C = T.decl_buffer((16,))
    for i in range(16):
        B[i] = A[i]
    for again, i in T.grid(2, 16):
        C[i] = B[i] * T.float32(2)
    for i in range(16):
        E[i] = C[i]
# CHECK: B = T.decl_buffer((16,))
# CHECK: C = T.decl_buffer((16,))
# VALID: validate: {{.*}}: 1 ok
