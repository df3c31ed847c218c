# Of several the last one counts, as if the others were not there.
# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    B = T.Buffer((16,), "int32", data=A.data, align=size=32)
# CHECK: :7:58: error: T.Buffer has no argument size
