# A while loop is refused.
# RUN: %relayopt '--passes=tir.LiftAttrScope<attr_key=x>' --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    while A[0] < T.float32(3):  # expected-error {{tir.LiftAttrScope: while loops are not supported}}
        A[0] = A[0] + T.float32(1)
