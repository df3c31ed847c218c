# Attributes with other names, of the function or of a statement, are carried through.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.ApplyLayoutTransforms %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    T.func_attr({"layout_map": 1})
    with T.attr(0, "layout_transform_map", 1):
        A[0] = T.float32(0)
