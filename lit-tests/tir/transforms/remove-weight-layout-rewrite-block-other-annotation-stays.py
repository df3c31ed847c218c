# Other annotations of blocks do not matter.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.RemoveWeightLayoutRewriteBlock %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("b"):
            v = T.axis.spatial(16, i)
            T.block_attr({"meta_schedule.unroll": 1})
            B[v] = A[v]
