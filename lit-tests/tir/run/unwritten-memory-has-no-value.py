# The result is shown, with a warning that it is undefined.
# RUN: %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((1,), "float32")):
    A = T.decl_buffer((1,), "float32")
    B[0] = A[0]
# CHECK: [[#@LINE-1]]:5: warning: the result is undefined: memory is read that nothing wrote [undefined-result]
# CHECK: {{^}}B: [0]{{$}}
