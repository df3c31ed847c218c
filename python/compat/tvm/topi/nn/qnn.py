"""The numbers of data types in simulated quantization."""

from ..._missing import missing

SQNN_DISABLE, SQNN_INT8, SQNN_UINT8, SQNN_INT32 = range(4)

SQNN_DTYPE_TO_CODE = {"disable": SQNN_DISABLE, "int8": SQNN_INT8, "uint8": SQNN_UINT8, "int32": SQNN_INT32}
SQNN_CODE_TO_DTYPE = {code: dtype for dtype, code in SQNN_DTYPE_TO_CODE.items()}

__getattr__ = missing("tvm.topi.nn.qnn", "relayopt has no tensor expressions")
