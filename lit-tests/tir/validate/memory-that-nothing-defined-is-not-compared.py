# Memory whose pointer nothing defines belongs to nobody. When a pass allocates it, as TVM does, nothing can be compared.
# RUN: %relayopt --passes=tir.PlanAndUpdateBufferAllocationLocation --validate %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main():
    for i in range(8):
        V = T.Buffer((8,), "int32")
        V[i] = 7
# CHECK: 1 not validated (memory that nothing defined is allocated)
