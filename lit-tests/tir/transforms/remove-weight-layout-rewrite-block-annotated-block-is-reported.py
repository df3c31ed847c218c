# A block with the annotation of a layout rewrite would have to be removed.
# RUN: %relayopt --passes=tir.RemoveWeightLayoutRewriteBlock --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("b"):  # expected-error {{a block rewrites the layout of weights}}
            v = T.axis.spatial(16, i)
            T.block_attr({"meta_schedule.layout_rewrite_preproc": 1})
            B[v] = A[v]
