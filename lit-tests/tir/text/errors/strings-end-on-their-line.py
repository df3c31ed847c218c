# A string ends on its line.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def a(A: T.Buffer((16,), "int32")):
    T.evaluate("abc)
# CHECK: [[#@LINE-1]]:16: error: this string is never closed [script-string]
# CHECK: [[#@LINE-2]]:15: error: this bracket is never closed [script-bracket]
