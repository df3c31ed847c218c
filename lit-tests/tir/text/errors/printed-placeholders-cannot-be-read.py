# Some of what the printer writes names nothing that can be read.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def b(A: T.Buffer((16,), "float32")):
    A[0] = T.reduce(0)
# CHECK: [[#@LINE-1]]:14: error: T.reduce is printed, but cannot be read [script-unreadable]
