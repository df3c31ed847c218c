# The loop counts in int64 and the variable of the block in int32: it becomes a cast of the loop's.
# RUN: %relayopt %s --passes=tir.ConvertBlocksToOpaque | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(C: T.Buffer((16,), "float32")):
    for i in range(4294967296):
        with T.block("scan"):
            vi = T.axis.spatial(16, i)
            T.writes(C[vi])
            if vi == 0:
                C[vi] = T.float32(0)

# CHECK: if T.Cast("int32", i) == 0:
