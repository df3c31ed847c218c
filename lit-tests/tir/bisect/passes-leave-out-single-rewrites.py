# A debug counter of rewrites leaves out expressions and statements one by one; what is left is a program that computes
# the same. A let that is inlined goes from the expressions that are left alone, too.
# RUN: %relayopt --passes=tir.Simplify --debug-counter=tir.Simplify.rewrites=2 %s | FileCheck --check-prefix=SECOND %s
# RUN: %relayopt --validate --passes=tir.Simplify --debug-counter=tir.Simplify.rewrites=0 %s | FileCheck --check-prefix=NONE %s
# RUN: %relayopt --passes=tir.Simplify --pass-remarks=tir.Simplify %s -o /dev/null 2>&1 | FileCheck --check-prefix=REMARK %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
    for i in range(4):
        x: T.int32 = i * 4
        B[x // 4] = A[i]
        B[(i * 8 + 4) // 8] = A[i]
# SECOND: B[i * 4 // 4] = A[i]
# SECOND-NEXT: B[i] = A[i]
# NONE: B[i * 4 // 4] = A[i]
# NONE-NEXT: B[(i * 8 + 4) // 8] = A[i]
# REMARK: passes-leave-out-single-rewrites.py:12:9: remark: tir.Simplify: FloorDiv became Var
# REMARK: passes-leave-out-single-rewrites.py:13:9: remark: tir.Simplify: FloorDiv became Var
