# Where n is below 5, all of the loop belongs to the last part, which begins at 5 and not at n.
# RUN: %relayopt '--passes=tir.LoopPartition<partition_const_loop=true>' --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((10,), "int32")):
    for i in range(5, 10):
        A[i] = T.if_then_else(T.likely(i < n), 1, 2)
# CHECK: for i in range(T.max(T.min(n, 10), 5) - 5):
# CHECK: for i in range(10 - T.max(T.min(n, 10), 5)):
