# A wrong number of operands is an error where the call is read, in each form of the call.
# RUN: %relayopt --verify-diagnostics %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "int32")):
    A[0] = T.fmod(A[1])  # expected-error {{T.fmod takes 2 arguments, found 1}}
    B[0] = T.q_multiply_shift(B[1], 1, 2)  # expected-error {{T.q_multiply_shift takes 4 arguments, found 3}}
    A[0] = T.call_intrin("float32", "tir.if_then_else", A[0] < A[1], A[2])  # expected-error {{T.if_then_else takes 3 arguments, found 2}}
    T.evaluate(T.ptx_cp_async("float32", A.data, 0, A.data, 4))  # expected-error {{T.ptx_cp_async takes from 5 to 6 arguments, found 4}}
    T.evaluate(T.call_extern("int32"))  # expected-error {{T.call_extern takes at least 1 arguments, found 0}}
