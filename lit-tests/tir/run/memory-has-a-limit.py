# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    B = T.decl_buffer((4000000000,), "float32")
# CHECK: [[#@LINE-1]]:9: error: evaluation takes more than 1073741824 bytes [evaluation-limit]
    B[0] = A[0]
    A[1] = B[0]
