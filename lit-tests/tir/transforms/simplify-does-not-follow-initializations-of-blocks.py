# The initialization of a block runs in the first iteration of a reduction only: what it stores is not known in the body.
# RUN: %relayopt --passes='tir.Simplify<propagate_knowns_to_simplify_expressions=true>' --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((3,), "int32"), B: T.Buffer((1,), "int32")):
    for k in range(3):
        with T.block("sum"):
            vk = T.axis.reduce(3, k)
            T.reads(A[vk])
            T.writes(B[0])
            with T.init():
                B[0] = 0
            B[0] = B[0] + A[vk]
# CHECK: B[0] = B[0] + A[vk]
