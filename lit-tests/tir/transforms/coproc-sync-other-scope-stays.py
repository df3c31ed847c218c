# Only the attribute coproc_scope means a coprocessor.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.CoProcSync %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    with T.attr(0, "coproc_uop_scope", 1):
        A[0] = T.float32(1)
