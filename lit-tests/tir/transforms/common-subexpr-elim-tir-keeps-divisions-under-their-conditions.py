# A division whose divisor may be 0 is not evaluated where the program would not evaluate it; one that is evaluated in
# any case, and one by a literal, are.
# RUN: %relayopt --passes=tir.CommonSubexprElimTIR %s | FileCheck %s
# RUN: %relayopt --passes=tir.CommonSubexprElimTIR --validate --validate-edge --disable-output %s 2>&1 | FileCheck --check-prefix=VALID %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), x: T.int32, y: T.int32):
    for i in range(16):
        A[i] = T.if_then_else(y != 0, x // y + i, 0) + T.if_then_else(y != 0, x // y * 2, 1)
    if y != 0 and x // y > 1 and x // y < 9:
        A[0] = 1
    for i in range(16):
        A[i] = T.if_then_else(y != 0, x // 7 + i, 0) + T.if_then_else(y != 0, x // 7 * 2, 1)
    if y != 0:
        A[1] = x // y + A[2] * (x // y)
# CHECK:      A[i] = T.if_then_else(cse_var_{{[0-9]}}, x // y + i, 0) + T.if_then_else(cse_var_{{[0-9]}}, x // y * 2, 1)
# CHECK:      if y != 0 and x // y > 1 and x // y < 9:
# CHECK:      cse_var_[[SEVENTH:[0-9]]]: T.int32 = x // 7
# CHECK:      if y != 0:
# CHECK-NEXT:     cse_var_[[LAST:[0-9]]]: T.int32 = x // y
# CHECK-NEXT:     A[1] = cse_var_[[LAST]] + A[2] * cse_var_[[LAST]]
# VALID:      validate: 1 pass: 1 ok
