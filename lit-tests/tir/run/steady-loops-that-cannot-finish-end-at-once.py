# A loop whose body can only end the evaluation in its first iteration is not run at all if its iterations take more steps
# than are left. The limits are so large that a loop that runs would not end.
# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: not %relayopt --run --max-steps=4611686018427387904 memory.py 2>&1 | FileCheck %s -DFILE=memory.py
# RUN: not %relayopt --run --max-steps=4611686018427387904 nested.py 2>&1 | FileCheck %s -DFILE=nested.py
# RUN: not %relayopt --run --max-steps=4611686018427387904 outside.py 2>&1 | FileCheck %s --check-prefix=OUTSIDE
# RUN: not %relayopt --run --max-steps=4611686018427387904 later.py 2>&1 | FileCheck %s --check-prefix=LATER
# RUN: not %relayopt --run --max-steps=4611686018427387904 rest.py 2>&1 | FileCheck %s --check-prefix=REST
# RUN: not %relayopt --run --max-steps=4611686018427387904 condition.py 2>&1 | FileCheck %s --check-prefix=ASSERTION
# RUN: not %relayopt --run --max-steps=4611686018427387904 race.py 2>&1 | FileCheck %s --check-prefix=RACE
# CHECK: [[FILE]]:5:{{[0-9]+}}: error: evaluation takes more than 4611686018427387904 steps [evaluation-steps]

# What ends such a loop in another iteration ends it there.
# OUTSIDE: error: index 8 of axis 0 of A is outside of [0, 8)
# LATER: error: index 9 of axis 0 of A is outside of [0, 8)
# REST: error: {{.*}}zero
# ASSERTION: error: {{.*}}too far
# RACE: another thread or iteration

#--- memory.py
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32"), n: T.int32):
    for i in range(T.int64(4611686018427387904)):
        A[3] = A[3] + n % 7
#--- nested.py
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    for i in range(T.int64(4611686018427387904)):
        for j in range(3):
            A[2] = A[1] + T.exp(T.Cast("float32", i + j))
#--- outside.py
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    for i in range(T.int64(4611686018427387904)):
        A[i] = 1
#--- later.py
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    A[1] = 0
    for i in range(T.int64(4611686018427387904)):
        A[1] = A[1] + 3
        A[A[1]] = 1
#--- rest.py
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    A[1] = 20
    for i in range(T.int64(4611686018427387904)):
        A[1] = A[1] - 1
        A[2] = 7 // A[1]
#--- condition.py
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    for i in range(T.int64(4611686018427387904)):
        if i == T.int64(3):
            assert A[0] < A[0], "too far"
#--- race.py
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    for i in T.parallel(T.int64(4611686018427387904)):
        A[0] = A[0] + 1
