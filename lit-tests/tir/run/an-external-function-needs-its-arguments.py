# A call of an external function with too few arguments is not evaluated.
# RUN: not %relayopt --run --seed=0 %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((2,), "float32")):
    A[0] = T.call_pure_extern("float32", "fmodf", T.float32(5), T.float32(3))
    A[1] = T.call_pure_extern("float32", "expf")
# CHECK: [[#@LINE-1]]:5: error: a call of exp with 0 arguments cannot be evaluated
