# init runs where all axes that are reduced over are at their beginning.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((3,), "int32")):
    for i, k in T.grid(3, 4):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(B[vi])
            T.writes(B[vi])
            with T.init():
                B[vi] = vi * 100
            B[vi] = B[vi] + vk
# CHECK: {{^}}B: [6, 106, 206]{{$}}
