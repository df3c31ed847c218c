# A loop is not split into more copies than a function may have statements, or by a number that its variable cannot hold.
# RUN: not %relayopt '--passes=tir.InjectDoubleBuffer<split_loop=100000000>' --disable-output %s 2>&1 | FileCheck --check-prefix=SIZE %s
# RUN: not %relayopt '--passes=tir.InjectDoubleBuffer<split_loop=1000000000000>' --disable-output %s 2>&1 | FileCheck --check-prefix=TYPE %s
# RUN: %relayopt '--passes=tir.InjectDoubleBuffer<split_loop=100>' --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    # SIZE: [[#@LINE+2]]:5: error: a loop that is double buffered cannot be split by 100000000: its copies would be larger than --max-ops allows
    # TYPE: [[#@LINE+1]]:5: error: a loop that is double buffered cannot be split by 1000000000000: the type of its variable is too small
    for i in range(8):
        b = T.allocate([4], "float32", "shared")
        B = T.Buffer((4,), data=b, scope="shared")
        with T.attr(b, "double_buffer_scope", 1):
            B[0] = A[i]
        A[i] = B[0]
