# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def a(A: T.Buffer((16,), "float32")):
    T.func_attr({"target": T.target("llvm x")})
# CHECK: [[#@LINE-1]]:28: error: the target has 'x' where an option is expected [script-no-target]
    A[0] = T.float32(0)
