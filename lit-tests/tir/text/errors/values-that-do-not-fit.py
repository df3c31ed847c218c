# Values are only where they have a meaning.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def a(A: T.Buffer((16,), "int32")):
    A[0] = A
# CHECK: [[#@LINE-1]]:12: error: Expected type PrimExpr but got a buffer [script-not-an-expression]
@T.prim_func
def b(A: T.Buffer((16,), "int32"), n: T.int32):
    n(1)
# CHECK: [[#@LINE-1]]:5: error: an expression cannot be called [script-cannot-call]
@T.prim_func
def c(A: T.Buffer((16,), "int32"), n: T.int32):
    A[0] = n[1]
# CHECK: [[#@LINE-1]]:12: error: an expression has no elements [script-cannot-index]
@T.prim_func
def q(A: T.Buffer((16,), "int32")):
    A[0] = (1, 2)[3]
# CHECK: [[#@LINE-1]]:12: error: there is no element 3 of 2 [script-element-index]
@T.prim_func
def e(A: T.Buffer((16,), "int32")):
    A[0] = T.max(1)
# CHECK: [[#@LINE-1]]:12: error: T.max needs the argument b [script-arguments]
@T.prim_func
def f(A: T.Buffer((16,), "int32")):
    A[0] = "a" + 1
# CHECK: [[#@LINE-1]]:12: error: unsupported operands of +: a str and an int [script-operands]
@T.prim_func
def k(A: T.Buffer((16, 4), "int32")):
    A[T.Ramp(0, 1, 4), 0] = T.Broadcast(1, 4)
# CHECK: [[#@LINE-1]]:5: error: only the last index of a buffer may be a vector [script-vector-index]
@T.prim_func
def l(A: T.Buffer((16,), "int32"), n: T.int32):
    A[0:n] = T.Broadcast(1, 4)
# CHECK: [[#@LINE-1]]:7: error: the number of elements of a slice must be a literal from 1 to 65535 [script-slice-length]
@T.prim_func
def m(A: T.Buffer((16,), "int32")):
    A[T.Ramp(0, 1, 4)] = T.Broadcast(1, 2)
# CHECK: [[#@LINE-1]]:5: error: TypeError: Incompatible types in BufferStore: LHS is 'int32', RHS is 'int32x2', indexing lanes: 4 [script-store-types]
