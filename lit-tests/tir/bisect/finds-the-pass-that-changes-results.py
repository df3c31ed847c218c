# --bisect works for tensor programs as for Relay: the pass, the function and the command that shows it.
# RUN: %relayopt --bisect --passes=tir.Simplify,tir.TestMiscompile,tir.RemoveNoOp %s > %t.out
# RUN: FileCheck %s < %t.out
# RUN: sed -n 's|^  again: relayopt|%relayopt|p' %t.out > %t.sh && not sh %t.sh 2>&1 | FileCheck --check-prefix=AGAIN %s
# RUN: not %relayopt --bisect --passes=tir.Simplify,tir.RemoveNoOp %s 2>&1 | FileCheck --check-prefix=NONE %s
from tvm.script import tir as T

@T.prim_func
def first(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        B[i] = A[i] * 2

@T.prim_func
def second(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        B[i] = A[i] + T.Add(1, 2)
# CHECK: bisect: #2 tir.TestMiscompile changes what the module computes
# CHECK-NEXT: second: buffer B: output 0 [{{[0-3]}}] expected {{-?[0-9]+}} got {{-?[0-9]+}}
# CHECK-NEXT: in @second
# CHECK-NEXT: by rewrite 1 of tir.TestMiscompile.rewrites
# CHECK-NEXT: without #2 all is well
# CHECK-NEXT: again: relayopt --validate --passes=tir.Simplify,tir.TestMiscompile,tir.RemoveNoOp --opt-bisect-limit=2 --debug-counter=tir.TestMiscompile.rewrites=1
# AGAIN: validate: #2 tir.TestMiscompile MISMATCH
# NONE: error: --bisect: there is nothing to find
