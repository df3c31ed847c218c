# The annotations of a parallel loop stay on the serial one.
# RUN: %relayopt --passes=tir.ConvertForLoopsToSerial %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    for i in T.parallel(1, 4, annotations={"key": 1}):
        A[i] = T.float32(1)
# CHECK:      for i in T.serial(1, 4, annotations={"key": 1}):
# CHECK-NEXT:     A[i] = T.float32(1)
