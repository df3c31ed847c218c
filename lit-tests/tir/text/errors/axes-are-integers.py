# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def a(A: T.Buffer((16,), "int32")):
    with T.block("b"):
        v = T.axis.spatial(.128, 0)
# CHECK: [[#@LINE-1]]:13: error: an extent must be an integer, but is float32 [script-type-of]
        A[v] = 1
@T.prim_func
def b(A: T.Buffer((16,), "int32")):
    with T.block("b"):
        v = T.axis.spatial(16, 0, dtype="float32")
# CHECK: [[#@LINE-1]]:13: error: an axis must be an integer, but is float32 [script-type-of]
        A[v] = 1
@T.prim_func
def c(A: T.Buffer((16,), "int32")):
    with T.block("b"):
        v = T.axis.spatial((-1, 5), 0, dtype="uint32")
# CHECK: [[#@LINE-1]]:13: error: {{.*}}-1{{.*}}uint32
        A[v] = 1
