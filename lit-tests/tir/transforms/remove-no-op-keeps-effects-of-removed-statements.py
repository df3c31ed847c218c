# The let goes, the call stays; the loop over nothing goes.
# RUN: %relayopt --passes=tir.RemoveNoOp %s | FileCheck %s
# RUN: %relayopt --passes=tir.RemoveNoOp --validate --validate-edge --disable-output %s 2>&1 | FileCheck --check-prefix=VALID %s
# VALID: 0 mismatches, 0 unchanged, 0 not validated
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    for i in range(8):
        T.evaluate(A[i])
    x: T.int32 = T.call_extern("int32", "effect")
    T.evaluate(0)
# CHECK:      def main
# CHECK-NEXT:   T.call_extern("int32", "effect")
# CHECK-NOT:    {{[^ ]}}
