from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    for i in range(2):
        T.prefetch(A, [T.Range(4, 8)])
        A[i] = T.float32(0)
