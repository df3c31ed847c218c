# Without an attribute buffer_bound there is nothing to compare with.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.InstrumentBoundCheckers %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    A[n] = 1
