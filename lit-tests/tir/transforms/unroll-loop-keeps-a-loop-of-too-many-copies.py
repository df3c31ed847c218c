# A loop whose copies would be larger than --max-ops allows, or than a million statements, stays.
# RUN: %relayopt --passes=tir.UnrollLoop --pass-remarks-missed=UnrollLoop %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes=tir.UnrollLoop --max-ops=100 %s 2>&1 | FileCheck --check-prefix=FEW %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((8,), "float32")):
    for v in T.unroll(100000000):
        B[v % 8] = T.float32(1)
    for w in T.unroll(4):
        B[w] = T.float32(2)
# CHECK:     a loop of 100000000 iterations stays
# CHECK:     for v in T.unroll(100000000):
# CHECK-NOT: for w
# FEW:       for v in T.unroll(100000000):
# FEW-NOT:   for w
