# Reads and writes that a block does not declare are found in it: loops in it are passed through, conditions narrow them, what its initialisation
# writes is not read, and views count as what they are views of.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(X: T.Buffer((8, 8), "float32"), W: T.Buffer((8, 3), "float32"), Y: T.Buffer((8,), "float32")):
    P = T.alloc_buffer((8, 10))
    for c, w in T.grid(8, 10):
        with T.block("pad"):
            vc, vw = T.axis.remap("SS", [c, w])
            P[vc, vw] = T.if_then_else(1 <= vw and vw < 9, X[vc, vw - 1], T.float32(0))
    for w, c in T.grid(8, 8):
        with T.block("conv"):
            vw, vc = T.axis.remap("SR", [w, c])
            with T.init():
                Y[vw] = T.float32(0)
            for k in range(3):
                Y[vw] = Y[vw] + P[vc, vw + k] * W[vc, k]
    with T.block("all"):
        T.reads(Y[0:8])
        V = T.match_buffer(Y[4:8], (4,))
        for j in range(4):
            if j > 1:
                V[j] = T.float32(1)
# CHECK: with T.block("pad"):
# CHECK: T.reads(X[vc, vw - 1])
# CHECK-NEXT: T.writes(P[vc, vw])
# CHECK: with T.block("conv"):
# CHECK: T.reads(P[vc, vw:vw + 3], W[vc, 0:3])
# CHECK-NEXT: T.writes(Y[vw])
# CHECK: with T.block("all"):
# CHECK-NEXT: T.reads(Y[0:8])
# CHECK-NEXT: T.writes(Y[6:8])
