# The producer of iteration i + 1 writes the half that iteration i does not read.
# RUN: %relayopt '--passes=tir.InjectDoubleBuffer<split_loop=0>' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for i in range(8):
        b = T.allocate([4], "float32", "shared")
        B = T.Buffer((4,), data=b, scope="shared")
        with T.attr(b, "double_buffer_scope", 1):
            for j in range(4):
                B[j] = A[i * 4 + j]
        for j in range(4):
            C[i * 4 + j] = B[j] + T.float32(1)
# CHECK:      T.allocate([8], "float32", "shared")
# CHECK:      for i in range(8):
# CHECK-NEXT:   if i + 1 < 8:
# CHECK-NEXT:     T.attr({{.*}}, "double_buffer_write", 1)
# CHECK:            [(i + 1) % 2 * 4 + {{.*}}] = A[(i + 1) * 4 +
# CHECK:          [i % 2 * 4 + {{.*}}] + T.float32(1)
