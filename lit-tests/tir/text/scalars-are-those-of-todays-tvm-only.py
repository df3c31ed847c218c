# In text of TVM 0.15 a buffer of one element is not a number, and a name is bound once in a scope.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def load(A: T.Buffer((1,), "float32"), B: T.Buffer((4,), "float32")):
    B[0] = A + T.float32(1)
# CHECK: [[#@LINE-1]]:12: error: Expected type PrimExpr but got a buffer

@T.prim_func
def store(A: T.Buffer((1,), "float32")):
    A = T.float32(1)
# CHECK: [[#@LINE-1]]:5: error: Variable A already defined in current scope

@T.prim_func
def declare(A: T.Buffer((1,), "float32")):
    x: T.float32
# CHECK: [[#@LINE-1]]:17: error: expected `=`
    A[0] = T.float32(1)

@T.prim_func
def source(A: T.Buffer((1,), "float32")):
    T.evaluate(A.source.data)
# CHECK: [[#@LINE-1]]:18: error: a buffer has no attribute 'source'
