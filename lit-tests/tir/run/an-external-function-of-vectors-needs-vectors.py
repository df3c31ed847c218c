# A call of an external function with vectors of different lengths is not evaluated.
# RUN: not %relayopt --run --seed=0 %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    A[0:4] = T.call_pure_extern("float32x4", "fmodf", A[0:4], A[0:4])
    A[0:4] = T.call_pure_extern("float32x4", "fmodf", A[0:4], A[0])
# CHECK: [[#@LINE-1]]:5: error: a call of fmod with operands of fewer lanes cannot be evaluated
