# Memory that needs several versions may only be accessed in ways for which a version can be selected.
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline --verify-diagnostics --split-input-file %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        with T.block(""):
            T.reads(A[i])
            T.writes(C[i])
            S = T.alloc_buffer((1,), "float32")
            S[0] = A[i]
            with T.block(""):
                T.reads(S[0])
                T.writes(C[i])
                # expected-error@+1 {{tir.InjectSoftwarePipeline: S needs several versions, and this statement accesses its memory by its pointer}}
                C[i] = T.call_extern("float32", "first", S.data)

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        with T.block(""):
            T.reads(A[i])
            T.writes(C[i])
            S = T.alloc_buffer((1,), "float32")
            S[0] = A[i]
            # expected-error@+1 {{tir.InjectSoftwarePipeline: S needs several versions, and this statement accesses its memory by match_buffer: run tir.LowerMatchBuffer first}}
            with T.block(""):
                T.reads(S[0])
                T.writes(C[i])
                M = T.match_buffer(S[0:1], (1,), offset_factor=1)
                C[i] = M[0]
