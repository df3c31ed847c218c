# Tensor programs have no origins.
# RUN: not %relayopt %s --print-provenance 2>&1 | FileCheck %s
# CHECK: error: --print-provenance is for functions of Relay, and the module has none
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(1)
