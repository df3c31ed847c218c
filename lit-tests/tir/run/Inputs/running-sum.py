from tvm.script import tir as T

@T.prim_func
def main(a: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "int64")
    for i in range(n - 1):
        A[i + 1] = A[i + 1] + A[i]
