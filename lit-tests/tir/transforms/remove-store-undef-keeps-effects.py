# A value that is undefined has no effect that would be lost.
# RUN: %relayopt --passes=tir.RemoveStoreUndef --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    A[0] = T.undef() + T.call_extern("int32", "f")  # expected-error {{this value is undefined, but evaluating it does something}}
