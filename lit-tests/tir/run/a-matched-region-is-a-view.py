# Accesses of a matched buffer are those of the region that it stands for.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 4), "int32")):
    for i, j in T.grid(4, 4):
        A[i, j] = 0
    for i in range(2):
        with T.block("b"):
            vi = T.axis.spatial(2, i)
            T.reads()
            T.writes(A[vi * 2:vi * 2 + 2, 1:3])
            B = T.match_buffer(A[vi * 2:vi * 2 + 2, 1:3], (2, 2), "int32", strides=("s0", "s1"), offset_factor=1)
            for x, y in T.grid(2, 2):
                B[x, y] = vi * 10 + x * 2 + y + 1
# CHECK: {{^}}A: {{\[\[}}0, 1, 2, 0], [0, 3, 4, 0], [0, 11, 12, 0], [0, 13, 14, 0]]{{$}}
