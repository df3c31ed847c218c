# Types that operations cannot have.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def g(A: T.Buffer((16,), "int31x")):
# CHECK: [[#@LINE-1]]:26: error: unknown type int31x [script-dtype]
    A[0] = 1
@T.prim_func
def h(A: T.Buffer((16,), "int32")):
    A[0] = T.float32(1) + T.handle(1)
# CHECK: [[#@LINE-1]]:36: error: expected a data type, found an int [script-wrong-value]
@T.prim_func
def i(A: T.Buffer((16,), "int32")):
    A[0] = T.floordiv(A[1], 0)
# CHECK: [[#@LINE-1]]:12: error: Divide by zero [script-divide-by-zero]
@T.prim_func
def j(A: T.Buffer((16,), "int8")):
    A[0] = T.int8(300)
# CHECK: [[#@LINE-1]]:19: error: ValueError: Literal value 300 does not fit int8 [script-literal-range]
@T.prim_func
def o(A: T.Buffer((16,), "int32")):
    A[0] = T.bitwise_and(A[0], 1.5)
# CHECK: [[#@LINE-1]]:12: error: an operand of a bitwise operation must be an integer, but is float32 [script-type-of]
@T.prim_func
def p(A: T.Buffer((16,), "int32")):
    A[0] = T.if_then_else(A[0] > 0, A[0], T.handle(0))
# CHECK: [[#@LINE-1]]:52: error: expected a data type, found an int [script-wrong-value]
