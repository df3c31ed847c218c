# A pass whose result differs is named with the function, the buffer and the element, and both programs are written.
# RUN: rm -rf %t && mkdir %t
# RUN: not %relayopt --validate --passes=tir.Simplify,tir.TestMiscompile --dump-ir-dir=%t %s 2>&1 | FileCheck %s
# RUN: FileCheck --check-prefix=AFTER %s < %t/validate-2-after.py
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        B[i] = A[i] + T.Add(1, 2)
# CHECK: validate: #2 tir.TestMiscompile  MISMATCH  main: buffer B: output 0 [{{[0-3]}}]  expected {{-?[0-9]+}}  got {{-?[0-9]+}}
# CHECK: 1 mismatch,
# AFTER: B[i] = A[i] - 3
