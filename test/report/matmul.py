# A product of matrices with a bias, in tiles, for the picture of a tensor program.
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32"), bias: T.Buffer((64,), "float32"), C: T.Buffer((64, 64), "float32")):
    product = T.decl_buffer((64, 64))
    for i, j in T.grid(64, 64):
        product[i, j] = T.float32(0)
        for k in range(16):
            for lane in T.unroll(4):
                product[i, j] = product[i, j] + A[i, k * 4 + lane] * B[k * 4 + lane, j]
    for i, j in T.grid(64, 64):
        C[i, j] = T.max(product[i, j] + bias[j], T.float32(0))
