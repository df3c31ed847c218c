# RUN: not %relayopt --passes=tir.PointerValueTypeRewrite %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(p: T.handle("float32")):
    with T.LetStmt(T.call_extern("handle", "f"), var=p):
        T.evaluate(0)
# CHECK: :6:5: error: the memory p is declared twice
