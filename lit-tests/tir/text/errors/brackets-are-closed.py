# A bracket that is never closed is named where it begins.
# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def a(A: T.Buffer((16,), "int32")):
    T.evaluate((1
# CHECK: [[#@LINE-1]]:16: error: this bracket is never closed [script-bracket]
