"""Models in ONNX Runtime, as the checks run them: on one thread, so that each run computes the same."""

import onnx
import onnxruntime


def session(model, optimized=False):
    """A session of a model, which is a path or bytes."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimized else levels.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def interface(proto):
    """(name, shape, type) of the inputs, as a module in Relax has them."""
    for info in proto.graph.input:
        tensor = info.type.tensor_type
        shape = [dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim]
        yield info.name, shape, str(onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))
