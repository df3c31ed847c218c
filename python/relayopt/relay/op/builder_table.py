"""Builders that differ from the core's table: `name = operator: inputs; attributes -> results` (see `builders.builder`)."""

ROWS = """
argsort: data; axis=-1, is_ascend=1, dtype="int32"
sort: data; axis=-1, is_ascend=1
argmax: data; axis=None, keepdims=False, exclude=False, select_last_index=False
argmin: data; axis=None, keepdims=False, exclude=False, select_last_index=False
clip: a; a_min, a_max
concatenate: *data; axis
stack: *data; axis
einsum: *data; equation
cumsum: data; axis=None, dtype=None, exclusive=False
cumprod: data; axis=None, dtype=None, exclusive=False
ndarray_size: data; dtype="int32"
shape_of: data; dtype="int32"
repeat: data; repeats, axis
reverse: data; axis
sequence_mask: data, valid_length; mask_value=0, axis=0
slice_like: data, shape_like; axes=None
transpose: data; axes=None
adv_index: *inputs
nn.adaptive_max_pool1d: data; output_size=None, layout="NCW", out_layout=""
nn.adaptive_avg_pool1d: data; output_size=None, layout="NCW", out_layout=""
nn.adaptive_max_pool2d: data; output_size=None, layout="NCHW", out_layout=""
nn.adaptive_avg_pool2d: data; output_size=None, layout="NCHW", out_layout=""
nn.adaptive_max_pool3d: data; output_size=None, layout="NCDHW", out_layout=""
nn.adaptive_avg_pool3d: data; output_size=None, layout="NCDHW", out_layout=""
nn.batch_matmul: tensor_a, tensor_b; out_dtype="", transpose_a=False, transpose_b=True
nn.matmul: tensor_a, tensor_b; units=None, out_dtype="", transpose_a=False, transpose_b=False
nn.dense: data, weight; units=None, out_dtype=""
nn.contrib_dense_pack: data, weight; weight_layout="NC", units=None, out_dtype=""
nn.batch_norm: data, gamma, beta, moving_mean, moving_var; axis=1, epsilon=1e-5, center=True, scale=True -> 3
nn.group_norm: data, gamma, beta; num_groups, axis=1, epsilon=1e-5, center=True, scale=True
nn.conv1d_transpose: data, weight; strides=(1,), padding=(0,), dilation=(1,), groups=1, channels=None, kernel_size=None, data_layout="NCW", kernel_layout="IOW", out_layout="", output_padding=(0,), out_dtype=""
nn.conv2d_transpose: data, weight; strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, channels=None, kernel_size=None, data_layout="NCHW", kernel_layout="IOHW", out_layout="", output_padding=(0, 0), out_dtype=""
nn.conv3d_transpose: data, weight; strides=(1, 1, 1), padding=(0, 0, 0), dilation=(1, 1, 1), groups=1, channels=None, kernel_size=None, data_layout="NCDHW", kernel_layout="IODHW", out_layout="", output_padding=(0, 0, 0), out_dtype=""
nn.max_pool1d: data; pool_size=(1,), strides=(1,), dilation=(1,), padding=(0,), layout="NCW", out_layout="", ceil_mode=False
nn.max_pool2d: data; pool_size=(1, 1), strides=(1, 1), dilation=(1, 1), padding=(0, 0), layout="NCHW", out_layout="", ceil_mode=False
nn.max_pool3d: data; pool_size=(1, 1, 1), strides=(1, 1, 1), dilation=(1, 1, 1), padding=(0, 0, 0), layout="NCDHW", out_layout="", ceil_mode=False
nn.avg_pool1d: data; pool_size=(1,), strides=(1,), dilation=(1,), padding=(0,), layout="NCW", out_layout="", ceil_mode=False, count_include_pad=False
nn.avg_pool2d: data; pool_size=(1, 1), strides=(1, 1), dilation=(1, 1), padding=(0, 0), layout="NCHW", out_layout="", ceil_mode=False, count_include_pad=False
nn.avg_pool3d: data; pool_size=(1, 1, 1), strides=(1, 1, 1), dilation=(1, 1, 1), padding=(0, 0, 0), layout="NCDHW", out_layout="", ceil_mode=False, count_include_pad=False
nn.conv2d_backward_weight: grad, data; strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, channels=None, kernel_size=None, grad_layout>data_layout="NCHW", data_layout>kernel_layout="NCHW", kernel_layout>out_layout="OIHW", out_dtype=""
nn.max_pool2d_grad: out_grad, data; pool_size=(1, 1), strides=(1, 1), padding=(0, 0), layout="NCHW", out_layout="", ceil_mode=False
nn.avg_pool2d_grad: out_grad, data; pool_size=(1, 1), strides=(1, 1), padding=(0, 0), layout="NCHW", out_layout="", ceil_mode=False, count_include_pad=False
nn.mirror_pad: data; pad_width, mode="SYMMETRIC"
nn.nll_loss: predictions, targets, weights; reduction="mean", ignore_index=-100
nn.lrn: data; size=5, axis=1, bias=2, alpha=0.00001, beta=0.75
nn.l2_normalize: data; eps, axis=None
nn.leaky_relu: data; alpha=0.01
nn.space_to_batch_nd: data; block_shape, paddings, pad_value=0
nn.batch_to_space_nd: data; block_shape, crops
nn.depth_to_space: data; block_size, layout="NCHW", mode="DCR"
nn.space_to_depth: data; block_size, layout="NCHW"
nn.dilate: data; strides, dilation_value=0.0
nn.correlation: data1, data2; kernel_size, max_displacement, stride1, stride2, padding, is_multiply, layout
nn.contrib_conv2d_nchwc = nn.contrib_conv2d_NCHWc: data, kernel; strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, channels=None, kernel_size=None, data_layout="NCHW8c", kernel_layout="OIHW", out_layout="", out_dtype=""
nn.contrib_depthwise_conv2d_nchwc = nn.contrib_depthwise_conv2d_NCHWc: data, kernel; strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, channels=None, kernel_size=None, data_layout="NCHW8c", kernel_layout="OIHW", out_layout="", out_dtype=""
nn.bitserial_dense: data, weight; units=None, data_bits=1, weight_bits=1, pack_dtype="uint32", out_dtype="int16", unipolar=True
nn.bitserial_conv2d: data, weight; strides=(1, 1), padding=(0, 0), channels=None, kernel_size=(3, 3), activation_bits=1, weight_bits=1, data_layout="NCHW", kernel_layout="OIHW", pack_dtype="uint32", out_dtype="int16", unipolar=True
nn.bitpack: data; bits=1, pack_axis=1, bit_axis=2, pack_type="uint32", name="BitPack"
nn.fifo_buffer: data, buffer; axis
image.crop_and_resize: data, boxes, box_indices; crop_size, layout, method="bilinear", extrapolation_value=0.0, out_dtype=None
image.affine_grid: data; target_shape=None
vision.multibox_transform_loc: cls_prob, loc_pred, anchor; clip=True, threshold=0.01, variances=(0.1, 0.1, 0.2, 0.2), keep_background=False -> 2
vision.proposal: cls_prob, bbox_pred, im_info; scales, ratios, feature_stride, threshold, rpn_pre_nms_top_n, rpn_post_nms_top_n, rpn_min_size, iou_loss
vision.yolo_reorg: data; stride
vision.regular_non_max_suppression: boxes, scores; max_detections_per_class, max_detections, num_classes, iou_threshold, score_threshold -> 4
qnn.op.quantize = qnn.quantize: data, output_scale, output_zero_point; axis=-1, out_dtype="int8"
qnn.op.dequantize = qnn.dequantize: data, input_scale, input_zero_point; axis=-1, out_dtype="float32"
qnn.op.requantize = qnn.requantize: data, input_scale, input_zero_point, output_scale, output_zero_point; axis=-1, rounding="None", compute_dtype="None", out_dtype="int8"
qnn.op.conv2d = qnn.conv2d: data, kernel, input_zero_point, kernel_zero_point, input_scale, kernel_scale; kernel_size, channels, strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="", out_dtype="int32"
qnn.op.conv2d_transpose = qnn.conv2d_transpose: data, weight, input_zero_point, kernel_zero_point, input_scale, kernel_scale; strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, channels=None, kernel_size=None, data_layout="NCHW", kernel_layout="IOHW", out_layout="", output_padding=(0, 0), out_dtype="int32"
qnn.op.dense = qnn.dense: data, weight, input_zero_point, kernel_zero_point, input_scale, kernel_scale; units, out_dtype="int32"
qnn.op.contrib_dense_pack = qnn.contrib_dense_pack: data, weight, input_zero_point, kernel_zero_point, input_scale, kernel_scale; kernel_layout>weight_layout="NC", units=None, out_dtype="int32"
qnn.op.batch_matmul = qnn.batch_matmul: x, y, x_zero_point, y_zero_point, x_scale, y_scale; out_dtype="int32", transpose_a=False, transpose_b=True
qnn.op.avg_pool2d = qnn.avg_pool2d: data, input_scale, input_zero_point, output_scale, output_zero_point; pool_size, strides, padding, dilation, ceil_mode=False, count_include_pad=True, layout="NHWC", out_layout=""
qnn.op.abs = qnn.abs: x, scale, zero_point, output_scale, output_zero_point
qnn.op.erf = qnn.erf: x, scale, zero_point, output_scale, output_zero_point
qnn.op.exp = qnn.exp: x, scale, zero_point, output_scale, output_zero_point
qnn.op.hardswish = qnn.hardswish: x, scale, zero_point, output_scale, output_zero_point
qnn.op.log = qnn.log: x, scale, zero_point, output_scale, output_zero_point
qnn.op.rsqrt = qnn.rsqrt: x, scale, zero_point, output_scale, output_zero_point
qnn.op.sigmoid = qnn.sigmoid: x, scale, zero_point, output_scale, output_zero_point
qnn.op.sqrt = qnn.sqrt: x, scale, zero_point, output_scale, output_zero_point
qnn.op.tanh = qnn.tanh: x, scale, zero_point, output_scale, output_zero_point
qnn.op.softmax = qnn.softmax: x, scale, zero_point, output_scale, output_zero_point; axis=-1
reverse_reshape = contrib_reverse_reshape: data; newshape
sparse_reshape: sparse_indices, prev_shape, new_shape -> 2
unravel_index: indices, shape
trilu: data, k:int32; upper=True
dft: re_data, im_data; inverse=False -> 2
fixed_point_multiply_per_axis: x, y, lshift, rshift; is_lshift_required, is_rshift_required, axis>axes
nn.dropout_raw = nn.dropout: data; rate=0.5
nn.cross_entropy: predictions, targets
vision.get_valid_counts: data, score_threshold:float32; id_index=0, score_index=1 -> 3
annotation.stop_fusion: data
annotation.checkpoint: data
annotation.bitpack_start: data
annotation.bitpack_end: data
annotation.cast_hint: data; dtype
annotation.compiler_begin: data; compiler
annotation.compiler_end: data; compiler
random.threefry_split: key -> 2
random.threefry_generate: key; shape>out_shape -> 2
"""

# Operators whose builders are written by hand, or that have none.
BY_HAND = {
    "annotation.", "arange", "broadcast_to", "call_lowered", "collapse_sum_to", "contrib.ethosu.", "debug",
    "device_copy", "dyn.", "expand_dims", "full", "gather", "image.resize1d", "image.resize2d", "image.resize3d",
    "matrix_set_diag", "memory.", "meshgrid", "nn.dropout", "nn.internal.", "nn.pad", "nn.sparse_add", "nn.sparse_conv2d", "nn.sparse_dense",
    "nn.sparse_transpose", "nn.upsampling", "nn.upsampling3d", "on_device", "one_hot", "ones", "qnn.concatenate",
    "qnn.leaky_relu", "qnn.simulated_dequantize", "qnn.simulated_quantize", "random.multinomial", "random.normal", "random.uniform",
    "reshape", "sparse_fill_empty_rows", "sparse_to_dense", "split", "squeeze", "stft", "strided_set", "strided_slice",
    "take", "tile", "topk", "unique", "variance", "vision.all_class_non_max_suppression", "vision.non_max_suppression",
    "vm.", "zeros",
}
