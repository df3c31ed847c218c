# The place of the second definition is shown.
# RUN: not %relayopt --passes=tir.VerifySSA %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func(private=True)
def main():
    var: T.int32 = 32
    with T.LetStmt(16, var=var):
        T.evaluate(var)
# CHECK: error: RuntimeError: IR is not in SSA form: variable var is defined more than once
