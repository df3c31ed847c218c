# What the pass is not told itself comes from the key of its name.
# RUN: %relayopt --passes=tir.UnrollLoop --config='tir.UnrollLoop={"auto_max_step": 16}' %s | FileCheck %s
# RUN: %relayopt '--passes=tir.UnrollLoop<auto_max_step=2>' --config='tir.UnrollLoop={"auto_max_step": 16}' %s | FileCheck --check-prefix=LOOP %s
# RUN: %relayopt --passes=tir.UnrollLoop %s | FileCheck --check-prefix=LOOP %s
# RUN: not %relayopt --passes=tir.UnrollLoop --config='tir.UnrollLoop={"auto_max_steps": 16}' %s 2>&1 | FileCheck --check-prefix=FIELD %s
# RUN: not %relayopt --passes=tir.UnrollLoop --config='tir.UnrollLoop={"auto_max_step": "many"}' %s 2>&1 | FileCheck --check-prefix=VALUE %s
# RUN: not %relayopt --passes=tir.UnrollLoop --config='tir.UnrollLoop=16' %s 2>&1 | FileCheck --check-prefix=OBJECT %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(4):
        A[i] = i
# CHECK:  A[3] = 3
# LOOP:   for i in range(4):
# FIELD:  error: unknown option 'auto_max_steps' (did you mean 'auto_max_step'?)
# FIELD:  in the config option tir.UnrollLoop
# VALUE:  error: option 'auto_max_step'
# OBJECT: error: expected options such as {"name": value}, not '16'
