# A kernel has one loop for each kind of threads, one inside of the other: no more than any target has.
# RUN: rm -rf %t && mkdir -p %t
# RUN: %python -c "print('from tvm.script import tir as T\n\n@T.prim_func\ndef main(A: T.Buffer((8,), \"float32\")):\n    for b in T.thread_binding(1, thread=\"blockIdx.x\"):'); print('\n'.join('        for i in T.thread_binding(8, thread=\"t%d\"):\n            A[i] = T.float32(0)' % i for i in range(64)))" > %t/many.py
# RUN: head -n 131 %t/many.py > %t/most.py
# RUN: %relayopt --passes=tir.UnifyThreadBinding %t/most.py | FileCheck --check-prefix=MOST %s
# RUN: not %relayopt --passes=tir.UnifyThreadBinding %t/many.py 2>&1 | FileCheck %s
# MOST-COUNT-64: T.thread_binding(
# CHECK: many.py:132:9: error: a kernel has more than 64 kinds of threads; no target has as many [too-many-thread-tags]
