# The report of a tensor program holds its lines; lines that only move to another depth count as the same.
# RUN: %relayopt --passes=tir.UnrollLoop,tir.Simplify --config=tir.UnrollLoop.auto_max_step=16 %s --report=%t.html
# RUN: %python %S/Inputs/describe.py %t.html | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in T.unroll(2):
        B[i] = A[i]
    B[3] = 0
# CHECK: UnrollLoop: changed
# CHECK: piece 1 @main {{.*}} lines 0 {{.*}}[
# CHECK: version 1 nodes ['B[0] = A[0]', 'B[1] = A[1]', 'B[3] = 0']
# CHECK: B[1] = A[1]
