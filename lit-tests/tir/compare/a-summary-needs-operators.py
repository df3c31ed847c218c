# RUN: not %relayopt %s --summary 2>&1 | FileCheck %s
# CHECK: error: --summary needs a function of Relay
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    A[0] = T.float32(2)
