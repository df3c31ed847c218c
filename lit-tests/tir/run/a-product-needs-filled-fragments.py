# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    a = T.allocate([16], "float16", "wmma.matrix_a")
    c = T.allocate([16], "float32", "wmma.accumulator")
    T.evaluate(T.tvm_mma_sync(c, 0, a, 0, a, 0, c, 0))
# CHECK: error: {{.*}}a product of fragments that nothing filled cannot be evaluated
