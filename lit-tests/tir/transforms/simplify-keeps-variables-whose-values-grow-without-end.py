# A value is put in place of its variable only as long as it is small: v40 has 2^40 factors.
# RUN: %relayopt %s -p tir.Simplify | FileCheck %s
# RUN: %relayopt %s -p 'default<tir>' -o %t.py

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # CHECK: v12: T.int32 = n * n *
    # CHECK-NEXT: v24: T.int32 = v12 * v12 *
    # CHECK-NEXT: v36: T.int32 = v24 * v24 *
    # CHECK-NEXT: A[v36 * v36 * {{.*}} % 8] = T.float32(1)
    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), n: T.int32):
        v0: T.int32 = n
        v1: T.int32 = v0 * v0
        v2: T.int32 = v1 * v1
        v3: T.int32 = v2 * v2
        v4: T.int32 = v3 * v3
        v5: T.int32 = v4 * v4
        v6: T.int32 = v5 * v5
        v7: T.int32 = v6 * v6
        v8: T.int32 = v7 * v7
        v9: T.int32 = v8 * v8
        v10: T.int32 = v9 * v9
        v11: T.int32 = v10 * v10
        v12: T.int32 = v11 * v11
        v13: T.int32 = v12 * v12
        v14: T.int32 = v13 * v13
        v15: T.int32 = v14 * v14
        v16: T.int32 = v15 * v15
        v17: T.int32 = v16 * v16
        v18: T.int32 = v17 * v17
        v19: T.int32 = v18 * v18
        v20: T.int32 = v19 * v19
        v21: T.int32 = v20 * v20
        v22: T.int32 = v21 * v21
        v23: T.int32 = v22 * v22
        v24: T.int32 = v23 * v23
        v25: T.int32 = v24 * v24
        v26: T.int32 = v25 * v25
        v27: T.int32 = v26 * v26
        v28: T.int32 = v27 * v27
        v29: T.int32 = v28 * v28
        v30: T.int32 = v29 * v29
        v31: T.int32 = v30 * v30
        v32: T.int32 = v31 * v31
        v33: T.int32 = v32 * v32
        v34: T.int32 = v33 * v33
        v35: T.int32 = v34 * v34
        v36: T.int32 = v35 * v35
        v37: T.int32 = v36 * v36
        v38: T.int32 = v37 * v37
        v39: T.int32 = v38 * v38
        v40: T.int32 = v39 * v39
        A[v40 % 8] = T.float32(1)
