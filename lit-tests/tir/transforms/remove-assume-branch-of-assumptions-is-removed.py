# A branch that holds nothing but assumptions goes with them; the other branch stays.
# RUN: %relayopt --passes=tir.RemoveAssume --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    if n > 4:
        T.evaluate(T.assume(A[0] == 1))
    if n > 2:
        T.evaluate(T.assume(A[0] == 1))
    else:
        A[1] = 2
# CHECK-NOT:  if n > 4
# CHECK:      if {{.*}}n
# CHECK-NEXT:     A[1] = 2
# CHECK-NOT:  assume
