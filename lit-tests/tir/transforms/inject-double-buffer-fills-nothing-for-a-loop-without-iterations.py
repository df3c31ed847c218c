# Whether a loop over a variable extent runs is known when it does: nothing is filled or used where it does not.
# RUN: %relayopt --passes=tir.InjectDoubleBuffer %s | FileCheck %s
# RUN: %relayopt --passes=tir.InjectDoubleBuffer --validate=each --unknown-extent=0 --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
# RUN: %relayopt --passes=tir.InjectDoubleBuffer --validate=each --unknown-extent=5 --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 4), "float32")
    C = T.match_buffer(c, (n, 4), "float32")
    for i in range(n):
        b = T.allocate([4], "float32", "shared")
        B = T.Buffer((4,), data=b, scope="shared")
        with T.attr(b, "double_buffer_scope", 1):
            for j in range(4):
                B[j] = A[i, j]
        for j in range(4):
            C[i, j] = B[j] + T.float32(1)
# CHECK:      T.allocate([8], "float32", "shared")
# CHECK:      {{^ +}}if 0 < n:
# CHECK:        for j in range(4):
# CHECK-NEXT:     [{{.*}}] = A[0, j]
# CHECK:        for i_outer in range(n - 1):
# VALID: validate: {{.*}}: 1 ok
