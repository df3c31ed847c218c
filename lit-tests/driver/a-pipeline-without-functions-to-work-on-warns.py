# Passes over functions of Relay have nothing to do in a module of tensor programs.
# RUN: %relayopt --passes=FoldConstant %s 2>&1 | FileCheck %s
# RUN: not %relayopt -O3 %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes='FoldConstant,tir.Simplify' %s 2>&1 | FileCheck %s --check-prefix=SOME
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    A[0] = 1
# CHECK: warning: the pipeline works on functions of kind relay, and the module has none: those it has are of kind tir (default<tir> is a pipeline for them) [no-functions-of-kind]
# SOME-NOT: warning
