# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((4,), "float32")):
    assert n > 100, "n is large"
    A[0] = T.float32(0)
# CHECK: [[#@LINE-2]]:5: error: assertion failed: n is large [assertion-failed]
