from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int64")):
    A[0] = T.int64(0)
