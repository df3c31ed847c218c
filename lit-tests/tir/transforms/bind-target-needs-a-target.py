# Neither the option nor the command line names one; and one that does not exist is an error.
# RUN: not %relayopt --passes=tir.BindTarget %s 2>&1 | FileCheck %s
# RUN: not %relayopt '--passes=tir.BindTarget<target="cudaa">' %s 2>&1 | FileCheck --check-prefix=KIND %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    T.evaluate(n)
# CHECK: error: BindTarget: which target?
# KIND: error: option 'target' expects a target, not 'cudaa': unknown target kind or tag 'cudaa'
