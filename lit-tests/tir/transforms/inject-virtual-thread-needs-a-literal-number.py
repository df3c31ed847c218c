# Copies are made for each of them.
# RUN: not %relayopt --passes=tir.InjectVirtualThread %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), n: T.int32):
    vt = T.launch_thread("vthread", n)
    A[vt] = T.float32(0)
# CHECK: error: the number of virtual threads must be a positive literal
