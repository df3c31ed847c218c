# `# -----` splits a file as `// -----` does, and is between what is printed.
# RUN: %relayopt --split-input-file --passes=tir.Simplify %s | FileCheck %s
# RUN: %relayopt --split-input-file %s | %relayopt --split-input-file --passes=tir.Simplify - | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def first(A: T.Buffer((4,), "int32")):
    A[0] = T.Add(1, 1)
# -----
from tvm.script import tir as T

@T.prim_func
def second(A: T.Buffer((4,), "int32")):
    A[0] = T.Add(1, 2)
# CHECK: def first
# CHECK: A[0] = 2
# CHECK: {{^# -----$}}
# CHECK: def second
# CHECK: A[0] = 3
