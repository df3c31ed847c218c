# What is filled ahead of a loop that begins at 1 is for iteration 1, in the half that it reads.
# RUN: %relayopt '--passes=tir.InjectDoubleBuffer<split_loop=0>' %s | FileCheck %s
# RUN: %relayopt '--passes=tir.InjectDoubleBuffer<split_loop=0>' --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for i in range(1, 8):
        b = T.allocate([4], "float32", "shared")
        B = T.Buffer((4,), data=b, scope="shared")
        with T.attr(b, "double_buffer_scope", 1):
            for j in range(4):
                B[j] = A[i * 4 + j]
        for j in range(4):
            C[i * 4 + j] = B[j] + T.float32(1)
# CHECK:        [T.Mul(1, 4) + j] = A[T.Mul(1, 4) + j]
# CHECK:      for i in range(1, 8):
# CHECK-NEXT:   if i + 1 < 8:
# VALID: validate: {{.*}}: 1 ok
