# Where x lies is known inside of the loop only.
# RUN: %relayopt '--passes=tir.LoopPartition<partition_const_loop=true>' --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(4):
        with T.LetStmt(i % 3) as x:
            A[i] = T.if_then_else(T.likely(i >= x), 1, 2)
# CHECK: for i in range(4):
# CHECK-NEXT: x: T.int32 = i % 3
# CHECK-NEXT: A[i] = T.if_then_else(i >= x, 1, 2)
