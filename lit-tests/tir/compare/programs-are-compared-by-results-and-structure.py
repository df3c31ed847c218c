# --equiv and --diff read the other file in its own format; programs that differ are reported with the buffer, and exit 3.
# RUN: %relayopt %s --passes=tir.ConvertBlocksToOpaque,tir.LowerOpaqueBlock,tir.FlattenBuffer,tir.Simplify -o %t.low.py
# RUN: %relayopt %s --equiv=%t.low.py --sets=2 | FileCheck %s --check-prefix=SAME
# RUN: not %relayopt %s --diff=%t.low.py | FileCheck %s --check-prefix=DIFF
# RUN: sed 's/T.float32(2)/T.float32(3)/' %s > %t.other.py
# RUN: not %relayopt %t.low.py --equiv=%t.other.py | FileCheck %s --check-prefix=OTHER
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("b"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] * T.float32(2)
# SAME: equiv: same
# DIFF: @main
# DIFF: - {{.*}}B_1[i] = A_1[i] * T.float32(2)
# DIFF: + {{.*}}B[vi] = A[vi] * T.float32(2)
# DIFF: {{[1-9]}} added, {{[1-9]}} removed, 0 changed in 1 definition
# OTHER: main: buffer B: {{.*}} expected {{.*}} got
# OTHER-NEXT: equiv: DIFFERENT
