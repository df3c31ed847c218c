# RUN: not %relayopt --passes=tir.LowerDeviceStorageAccessInfo %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main():
    B = T.allocate([16], "int8", "local.mine")
    T.call_extern("int32", "f", B)
# CHECK: :6:9: error: the memory local.mine is unknown
