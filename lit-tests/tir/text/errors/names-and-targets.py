# What may be to the left of an assignment.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def b(A: T.Buffer((16,), "int32")):
    for i, i in T.grid(2, 2):
# CHECK: [[#@LINE-1]]:12: error: Duplicate vars assigned. [script-duplicate-target]
        A[0] = 1
@T.prim_func
def r(A: T.Buffer((16,), "int32"), n: T.int32):
    x, y = 1, 2, 3
# CHECK: [[#@LINE-1]]:12: error: cannot unpack 3 values into 2 names [script-unpack]
@T.prim_func
def u(A: T.Buffer((16,), "int32"), n: T.int32):
    x, x = 1, 2
# CHECK: [[#@LINE-1]]:8: error: Duplicate vars assigned. [script-duplicate-target]
@T.prim_func
def c(A: T.Buffer((16,), "int32")):
    x = 1
    x = y = 2
# CHECK: [[#@LINE-1]]:9: error: Undefined variable: y [script-undefined]
# CHECK: [[#@LINE-2]]:11: error: Consequential assignments like 'a = b = c' are not supported. [script-consequential]
@T.prim_func
def d(A: T.Buffer((16,), "int32")):
    A = 3
# CHECK: [[#@LINE-1]]:5: error: Variable A already defined in current scope [script-redefined]
@T.prim_func
def e(A: T.Buffer((16,), "int32")):
    with T.block("b") as [x, y]:
# CHECK: [[#@LINE-1]]:26: error: expected a name, found `[` [script-expected]
        A[0] = 1
@T.prim_func
def g(A: T.Buffer((16,), "int32")):
    x = T.evaluate(0)
# CHECK: [[#@LINE-1]]:9: error: Expected type PrimExpr but got None [script-not-an-expression]
