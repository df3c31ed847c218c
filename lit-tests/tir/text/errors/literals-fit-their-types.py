# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32"), F: T.Buffer((4,), "float16"), f: T.float16):
    T.evaluate(T.float16(70000))
    # CHECK: :[[# @LINE - 1]]:{{.*}}error: ValueError: Literal value 70000 does not fit float16
    T.evaluate(T.FloatImm("float32", 1e39))
    # CHECK: :[[# @LINE - 1]]:{{.*}}Literal value 1e+39 does not fit float32
    T.evaluate(f < 1e6)
    # CHECK: :[[# @LINE - 1]]:{{.*}}Literal value 1000000 does not fit float16
    A[0] = 1 << 40
    # CHECK: :[[# @LINE - 1]]:{{.*}}Literal value 1099511627776 does not fit int32
    T.evaluate(T.cast(300, "int8"))
    # CHECK: :[[# @LINE - 1]]:{{.*}}Literal value 300 does not fit int8
    T.evaluate(T.allocate_const([300], "int8", [1]))
    # CHECK: :[[# @LINE - 1]]:{{.*}}Literal value 300 does not fit int8
