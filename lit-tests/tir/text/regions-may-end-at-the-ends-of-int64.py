# The extent of a region whose ends are those of int64 is not computed by wrapping.
# RUN: %relayopt %s | %relayopt - | FileCheck %s
# RUN: %relayopt --run %s | FileCheck %s --check-prefix=RESULT
# RUN: %relayopt --passes=tir.ConvertBlocksToOpaque,tir.CompactBufferAllocation,tir.TextureFlatten --validate -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=SAME
from tvm.script import tir as T

@T.prim_func
def main(X: T.Buffer((8,), "int32"), Y: T.Buffer((8,), "int32")):
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        with T.block("copy"):
            v = T.axis.spatial(8, i)
            T.reads(X[v - T.int64(-9223372036854775808):v + 1])
            T.writes(C[T.int64(-9223372036854775808):T.int64(9223372036854775807)])
            C[v] = X[v]
    for i in range(8):
        with T.block("use"):
            v = T.axis.spatial(8, i)
            T.reads(C[v:v + T.int64(9223372036854775807)])
            T.writes(Y[v])
            Y[v] = C[v]
# CHECK: T.writes(C[T.int64(-9223372036854775808):T.int64(9223372036854775807)])
# RESULT: {{^}}Y: [7, 3, 0, 7, 0, 2, 1, 6]
# SAME: 0 mismatches
