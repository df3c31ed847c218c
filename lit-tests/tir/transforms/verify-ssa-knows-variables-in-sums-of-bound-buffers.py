# A variable that occurs in an extent of a bound buffer is defined by it; several buffers may mention it.
# RUN: not %relayopt --passes=tir.VerifySSA %s 2>&1 | FileCheck %s
# RUN: sed s/var=n/var=m/ %s | %relayopt --passes=tir.VerifySSA - | FileCheck --check-prefix=OTHER %s
from tvm.script import tir as T

@T.prim_func(private=True)
def main(a: T.handle, b: T.handle):
    n = T.int32()
    m = T.int32()
    A = T.match_buffer(a, (n * 2,))
    B = T.match_buffer(b, (n * 2 + 1,))
    with T.LetStmt(16, var=n):
        T.evaluate(A[n] + B[n])
# CHECK: error: RuntimeError: IR is not in SSA form: variable n is defined more than once
# OTHER: m: T.int32 = 16
