# A stage that is not supported reports what it would have to do, and leaves other programs as they are.
# RUN: not %relayopt --passes=tir.TransformMmaBufferLayout %s 2>&1 | FileCheck --check-prefix=LAYOUT %s
# RUN: %relayopt --passes='tir.CoProcSync,tir.RemoveWeightLayoutRewriteBlock' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 8), "float16")):
    with T.block(""):
        M = T.alloc_buffer((16, 8), "float16", scope="m16n8k8.matrixA")
        M[0, 0] = A[0, 0]
# LAYOUT: error: tir.TransformMmaBufferLayout is not supported: a buffer lies in m16n8k8.matrix memory
# CHECK:  M[0, 0] = A[0, 0]
