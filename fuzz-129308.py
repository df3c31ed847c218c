# relayopt --opt-level=4 --validate --validate-edge --passes='tir.InjectPrefetch,tir.BindTarget<target=cuda;host=llvm>,tir.LiftThreadBinding,tir.RemoveNoOp,tir.MakePackedAPI,tir.LowerTVMBuiltin' fuzz-129308.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((16,), "uint8"), B: T.Buffer((6,), "int64"), C: T.Buffer((8, 8,), "int32"), D: T.Buffer((8,), "float32")):
    with T.launch_thread("blockIdx.x", 1) as b0:
        with T.decl_buffer((4,), "int64", scope="shared") as S2:
            with T.launch_thread("threadIdx.x", 4) as t1:
                S2[t1] = (T.Cast("int64", T.int32(T.truncdiv(8, 3))) + T.Cast("int64", T.int32(T.if_then_else((t1 != T.int32(9)), 1, T.int32(3)))))
                T.tvm_storage_sync("shared")
                if (t1 == T.int32(n)):
                    B[b0 * 4 + t1] = T.Select(T.likely((t1 == T.int32(t1))), (S2[b0] + S2[b0]), T.Select(((t1 == T.int32(b0)) or (t1 == T.int32(n))), S2[2], S2[t1]))
    D[T.Ramp(T.int32((n) % 2 * 4), 1, 4)] = D[T.Ramp(T.int32((n) % 2 * 4), 1, 4)] + T.Broadcast(T.min(D[((n) % 4) % 8], D[T.max(T.min(T.min(n * 7, n), 7), 0)]), 4)
