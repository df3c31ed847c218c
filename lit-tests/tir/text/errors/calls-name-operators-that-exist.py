# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(x: T.int32):
    T.evaluate(T.call_intrin("int32", "tir.foo", x))
    # CHECK: :[[# @LINE - 1]]:{{.*}}error: AttributeError: Operator tir.foo is not registered
    T.evaluate(T.Call("int32", "exp", [x]))
    # CHECK: :[[# @LINE - 1]]:{{.*}}error: AttributeError: Operator exp is not registered
    T.evaluate(T.pow(x, x))
    # CHECK: :[[# @LINE - 1]]:{{.*}}error: an operand of T.pow must be a float, but is int32
    with T.If(x < 4):
        T.evaluate(x)
    # CHECK: :[[# @LINE - 2]]:{{.*}}error: this needs a Python interpreter: T.If (write if and else)
