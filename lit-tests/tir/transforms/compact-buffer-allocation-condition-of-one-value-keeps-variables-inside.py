# The region of a variable that a condition fixes is computed from its value, and does not name the variable outside of its loop.
# RUN: %relayopt --validate --passes=tir.CompactBufferAllocation %s | FileCheck %s
@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    with T.block("root"):
        T.reads()
        T.writes()
        M = T.alloc_buffer((8,), "float32")
        for i in T.serial(1, 4):
            if i == 3:
                M[i % 4] = T.float32(1)
                A[0] = M[i % 4]

# CHECK: M = T.alloc_buffer((1,))
# CHECK: M[i % 4 - 3] = T.float32(1)
# CHECK: A[0] = M[i % 4 - 3]
