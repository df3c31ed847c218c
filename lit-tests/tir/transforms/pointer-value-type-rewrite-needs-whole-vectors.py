# Memory in vectors of seven holds no whole number of vectors of three.
# RUN: not %relayopt --passes=tir.PointerValueTypeRewrite %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(p: T.handle("float32")):
    B = T.Buffer((16,), "float32x3", data=p)
    B[0:7] = T.Broadcast(T.float32(0), 21)
# CHECK: :8:5: error: this access of B is not a whole number of vectors of the type of its memory
