# A Select evaluates both of its values, so a pass may evaluate one of them elsewhere. Where that divides by zero there
# is nothing to compare; where conditionals keep it away, it must not happen.
# RUN: %relayopt --passes=tir.CommonSubexprElimTIR --validate --bind y=0 %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes=tir.CommonSubexprElimTIR --validate --bind y=2 --disable-output %s 2>&1 | FileCheck --check-prefix=TWO %s
from tvm.script import tir as T

@T.prim_func
def main(x: T.int32, y: T.int32, A: T.Buffer((2,), "int32")):
    A[0] = T.Select(y != 0, x // y + x // y * 2, 0)
# CHECK: validate: 1 pass: 0 ok (0 bit-exact), 0 mismatches, 0 unchanged, 1 not validated (division by zero in a value that is not selected)
# CHECK: cse_var_1: T.int32 = x // y
# TWO: validate: 1 pass: 1 ok
