# RUN: not %relayopt --passes=tir.LowerCustomDatatypes %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    T.evaluate(n)
# CHECK: error: LowerCustomDatatypes: the function @main has no attribute target
