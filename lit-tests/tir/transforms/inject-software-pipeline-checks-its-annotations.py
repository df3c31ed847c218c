# Stages and orders are lists with one entry for each statement of the body, which is a sequence.
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline --verify-diagnostics --split-input-file %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: the loop has software_pipeline_stage, but not software_pipeline_order}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1]}):
        A[i] = T.float32(1)
        C[i] = A[i]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: software_pipeline_order must be a list of integers}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": "0, 1"}):
        A[i] = T.float32(1)
        C[i] = A[i]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: software_pipeline_stage has 3 entries for 2 statements}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1, 1], "software_pipeline_order": [0, 1]}):
        A[i] = T.float32(1)
        C[i] = A[i]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: the orders of 2 statements must be the numbers from 0 to 1, each once}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [1, 1]}):
        A[i] = T.float32(1)
        C[i] = A[i]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: stages must be from 0 to 4096, found -1}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [-1, 1], "software_pipeline_order": [0, 1]}):
        A[i] = T.float32(1)
        C[i] = A[i]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: the body of a software pipeline must be a sequence of statements}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [0], "software_pipeline_order": [0]}):
        C[i] = A[i]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: only serial and unrolled loops can be pipelined}}
    for i in T.parallel(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        A[i] = T.float32(1)
        C[i] = A[i]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        # expected-error@+1 {{tir.InjectSoftwarePipeline: double_buffer_scope must be the index of a written buffer, from 0 to 0}}
        with T.block(""):
            T.reads(A[i])
            T.writes(C[i])
            T.block_attr({"double_buffer_scope": 1})
            C[i] = A[i]
        A[i] = T.float32(0)
