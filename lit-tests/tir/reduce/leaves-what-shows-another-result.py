# Statements, loops, terms and buffers go that are not needed to show the fault; the result is a test.
# RUN: %relayopt --reduce --passes='tir.Simplify,tir.TestPlantedFault<fault=quotient-of-sum>,tir.RemoveNoOp' %s -o %t.py 2>&1 | FileCheck --check-prefix=TOLD %s
# RUN: FileCheck %s < %t.py
# RUN: sed -n 's|^# RUN: .relayopt|%relayopt|p' %t.py | sed 's|%%s|%t.py|' > %t.sh && not sh %t.sh 2>&1 | FileCheck --check-prefix=AGAIN %s
from tvm.script import tir as T

@T.prim_func
def other(A: T.Buffer((8,), "int32")):
    for i in range(8):
        A[i] = i

@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        if i < 6:
            C[i] = T.float32(1)
            B[i] = T.max((A[i] + i) // 3, 2 - i) * 5 + A[i]
        else:
            B[i] = A[i]
    for k in range(8):
        C[k] = C[k] * T.float32(2)
# TOLD: reduce: from {{[0-9]+}} to {{[1-2]}} calls and statements, from 3 to 1 passes
# CHECK: # {{RUN}}: %relayopt --validate --passes='tir.TestPlantedFault<fault=quotient-of-sum>' %s --disable-output
# CHECK-NOT: def other
# CHECK: def main(
# CHECK: B[{{.*}}] = {{.*}} // {{[0-9]+}}
# CHECK-NOT: def
# AGAIN: validate: #1 tir.TestPlantedFault MISMATCH
