# What a function does with a pointer nobody knows, so the block has to say it.
# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("b"):
# CHECK: [[#@LINE-1]]:9: error: Can not auto detect buffer access region{{.*}} [script-no-regions]
            vi = T.axis.spatial(8, i)
            T.evaluate(T.call_extern("int32", "f", A.data, vi))
