# Whose would it be, above the threads?
# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    M = T.decl_buffer((1,), "int32", scope="local")
    for t in T.thread_binding(4, thread="threadIdx.x"):
        M[0] = t
        A[t] = M[0]
# CHECK: error: memory of threads that is allocated outside of their launch cannot be evaluated
