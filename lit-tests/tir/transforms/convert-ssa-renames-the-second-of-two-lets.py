# The variable that is defined again gets another variable, also in what uses it.
# RUN: %relayopt --passes=tir.ConvertSSA %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func(private=True)
def main():
    var: T.int32 = 32
    T.evaluate(var)
    with T.LetStmt(16, var=var):
        T.evaluate(var + 1)
    T.evaluate(var)
# CHECK:      var: T.int32 = 32
# CHECK-NEXT: T.evaluate(var)
# CHECK-NEXT: with T.LetStmt(16) as var_1:
# CHECK-NEXT:   T.evaluate(var_1 + 1)
# CHECK-NEXT: T.evaluate(var)
