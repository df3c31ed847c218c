# The value of an axis cannot depend on an axis of the same block.
# RUN: %relayopt --passes=tir.ConvertBlocksToOpaque --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("b"):  # expected-error {{the predicate or the values of a block use its own iteration variable v}}
            v = T.axis.spatial(16, i)
            w = T.axis.spatial(16, v)
            T.reads()
            T.writes(A[v])
            A[v] = T.float32(1)
