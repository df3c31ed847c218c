# A float is not a condition, and an assertion asks for a truth value.
# RUN: %relayopt --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "float32")):
    if B[0]:  # expected-error {{a condition must be bool, but is float32}}
        A[0] = 1
    assert A[0], "not 0"  # expected-error {{a condition must be bool, but is int32}}
