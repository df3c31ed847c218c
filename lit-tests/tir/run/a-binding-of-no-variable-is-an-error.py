# A name that is neither a variable nor a buffer with one in its shape would be passed over.
# RUN: not %relayopt --run --bind=k=4 %s 2>&1 | FileCheck %s --check-prefix=NAME
# RUN: not %relayopt --run --bind=A.1=4 %s 2>&1 | FileCheck %s --check-prefix=AXIS
from tvm.script import tir as T

@T.prim_func
def f(a: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 4), "int32")
    A[0, 0] = 1
# NAME: error: {{.*}}k: there is no variable of this name to bind
# AXIS: error: {{.*}}A: there is no variable of this name to bind
