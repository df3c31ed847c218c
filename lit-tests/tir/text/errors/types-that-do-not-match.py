# Operands have types that go together.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def a(A: T.Buffer((16,), "int32"), p: T.handle):
    A[0] = A[0] & p
# CHECK: [[#@LINE-1]]:12: error: an operand of a bitwise operation must be an integer, but is handle [script-type-of]
@T.prim_func
def b(A: T.Buffer((16,), "int32"), p: T.handle):
    A[0] = A[0] + p
# CHECK: [[#@LINE-1]]:12: error: Cannot match type int32 vs handle [script-match-types]
@T.prim_func
def c(A: T.Buffer((16,), "int32"), p: T.handle):
    A[p] = 1
# CHECK: [[#@LINE-1]]:5: error: an index must be an integer, but is handle [script-type-of]
@T.prim_func
def d(A: T.Buffer((16,), "int32"), p: T.handle):
    A[0] = T.Broadcast(1, 4) + T.Broadcast(1, 2)
# CHECK: [[#@LINE-1]]:12: error: Cannot match type int32x4 vs int32x2 [script-match-types]
@T.prim_func
def e(A: T.Buffer((16,), "int32"), p: T.handle):
    A[0] = T.if_then_else(A[0] > 0, A[0], p)
# CHECK: [[#@LINE-1]]:12: error: Cannot match type int32 vs handle [script-match-types]
@T.prim_func
def f(A: T.Buffer((16,), "int32")):
    with T.launch_thread("threadIdx.x", 4) as (x, y):
# CHECK: [[#@LINE-1]]:47: error: expected a name, found `(` [script-expected]
        A[0] = 1
@T.prim_func
def g(A: T.Buffer((16,), "int32")):
    with T.attr(A, "x", 1) as x:
# CHECK: [[#@LINE-1]]:31: error: Do not know how to bind type: None in a with statement [script-binding]
        A[0] = 1
@T.prim_func
def h(A: T.Buffer((16,), "int32")) -> T:
# CHECK: [[#@LINE-1]]:39: error: Annotation should be Var [script-annotation]
    A[0] = 1
@T.prim_func
def i(A: T.Buffer((16,), "int32")) -> T.prim_func:
# CHECK: [[#@LINE-1]]:41: error: module 'tvm.script.parser.tir' has no attribute 'prim_func' [script-attribute]
    A[0] = 1
@T.prim_func
def j(A: T.Buffer((16,), "int32")):
    A[0] = A[1] / A[2]
# CHECK: [[#@LINE-1]]:12: error: TVM supports multiple types of integer divisions, please call div, indexdiv/indexmod, floordiv/floormod  or truncdiv/truncmod directly to avoid ambiguity in the code. [script-integer-division]
