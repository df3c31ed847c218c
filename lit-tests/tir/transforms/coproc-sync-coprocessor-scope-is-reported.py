# RUN: not %relayopt --passes=tir.CoProcSync %s 2>&1 | FileCheck %s --check-prefix=COPROC
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    with T.attr(0, "coproc_scope", 1):
        A[0] = T.float32(1)
# COPROC:  :6:{{[0-9]+}}: error: tir.CoProcSync is not supported: a statement runs on a coprocessor
