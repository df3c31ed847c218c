# The blocks of a pipeline have no iteration variables, initialisations, views and conditions any more.
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline --verify-diagnostics --split-input-file %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: a block still has iteration variables: run tir.ConvertBlocksToOpaque first}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        with T.block(""):
            vi = T.axis.spatial(8, i)
            S = T.alloc_buffer((1,), "float32")
            S[0] = A[vi]
            C[vi] = S[0]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: a block still has an initialisation: run tir.LowerInitBlock first}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        with T.block(""):
            T.reads(A[i])
            T.writes(C[i])
            with T.init():
                C[i] = T.float32(0)
            C[i] = A[i]
        A[i] = T.float32(0)

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: a block still has match_buffers: run tir.LowerMatchBuffer first}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        with T.block(""):
            T.reads(A[i])
            T.writes(C[i])
            S = T.alloc_buffer((1,), "float32")
            B = T.match_buffer(A[i], (1,), offset_factor=1)
            S[0] = B[0]
            C[i] = S[0]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: the block around the statements of a software pipeline must not have a condition}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        with T.block(""):
            T.where(i < 7)
            T.reads(A[i])
            T.writes(C[i])
            S = T.alloc_buffer((1,), "float32")
            S[0] = A[i]
            C[i] = S[0]
