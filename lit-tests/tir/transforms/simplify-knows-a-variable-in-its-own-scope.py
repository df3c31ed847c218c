# A variable that is defined again inside of its scope, or by a Let of an expression, has the value of the definition
# around each use.
# RUN: %relayopt --passes=tir.Simplify --validate --pass-timeout=20 %s | FileCheck %s
# RUN: %relayopt --passes=tir.RemoveNoOp --validate --pass-timeout=20 --disable-output %s
# RUN: %relayopt --passes=tir.HoistExpression --validate --pass-timeout=20 --disable-output %s
# RUN: %relayopt --passes='tir.UnrollLoop<auto_max_step=100>' --validate --disable-output %s
# RUN: %relayopt --passes='tir.LoopPartition<partition_const_loop=1>' --validate --disable-output %s
# RUN: %relayopt --passes='default<tir>' --validate=each --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(o: T.Buffer((32,), "int32"), n: T.int32):
    for i in range(4):
        e = T.int32()
        f = T.int32()
        o[i] = T.Let(T.Let(e * 2, where={e: i + 2}), where={e: 3})
        # CHECK: o[i] = T.Let(e * 2, where={e: i + 2})
        o[i + 4] = T.Let(f * 3, where={f: 5}) + T.Let(f * 3, where={f: T.Let(f + 1, where={f: i})})
        # CHECK: o[i + 4] = T.Let(f * 3, where={f: i + 1}) + 15
        with T.LetStmt(3, var=n):
            with T.LetStmt(n + i, var=n):
                if T.likely(n < 5):
                    o[i + 8] = n
                    # CHECK: o[i + 8] = i + 3
            o[i + 12] = n + T.Let(n * 2, where={n: n + i})
            # CHECK: o[i + 12] =
        o[i + 16] = n
        # CHECK: o[i + 16] = n
        with T.LetStmt(i * 2, var=i):
            if T.likely(i < 5):
                o[i + 20] = i
        if T.likely(i < 3):
            o[i + 28] = i + T.Let(i, where={i: 7})
            # CHECK: o[i + 28] = i + 7
