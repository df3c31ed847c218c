"""The support levels of operators, as TVM declares them; all others have the highest."""

_LEVELS = {
    1: (
        "acos acosh add asin asinh atan atanh concatenate cos cosh debug divide erf exp expand_dims fast_erf "
        "fast_exp fast_tanh floor_divide floor_mod invert_permutation log log10 log2 mod multiply "
        "nn.batch_norm nn.bias_add nn.bitserial_dense nn.dense nn.dropout nn.fast_softmax nn.group_norm "
        "nn.instance_norm nn.internal.sparse_dense_padded nn.layer_norm nn.log_softmax nn.matmul nn.relu "
        "nn.softmax nn.sparse_add nn.sparse_conv2d nn.sparse_dense nn.sparse_transpose rsqrt sigmoid sin sinh "
        "sqrt subtract tan tanh trunc_divide trunc_mod "
    ),
    2: (
        "dyn.nn.pad dyn.nn.upsampling dyn.nn.upsampling3d image.dilation2d nn.avg_pool1d nn.avg_pool2d "
        "nn.avg_pool2d_grad nn.avg_pool3d nn.batch_flatten nn.bitpack nn.bitserial_conv2d nn.conv1d "
        "nn.conv1d_transpose nn.conv2d nn.conv2d_backward_weight nn.conv2d_transpose nn.conv3d "
        "nn.conv3d_transpose nn.correlation nn.global_avg_pool2d nn.global_max_pool2d nn.l2_normalize nn.lrn "
        "nn.max_pool1d nn.max_pool2d nn.max_pool2d_grad nn.max_pool3d nn.mirror_pad nn.pad nn.upsampling "
        "nn.upsampling3d "
    ),
    3: (
        "abs adv_index arange cast cast_like ceil clip copy cumprod cumsum dft dyn.expand_dims dyn.full "
        "dyn.ones dyn.reshape dyn.sparse_to_dense dyn.squeeze dyn.tile dyn.zeros floor full full_like gather "
        "gather_nd isfinite isinf isnan meshgrid negative nn.fifo_buffer nn.leaky_relu nn.prelu ones "
        "reinterpret repeat reshape reshape_like reverse reverse_sequence round scatter_elements scatter_nd "
        "sign sparse_fill_empty_rows sparse_reshape sparse_to_dense split squeeze stack stft take tile "
        "transpose trilu trunc unique unravel_index zeros "
    ),
    4: (
        "all any argmax argmin bitwise_and bitwise_not bitwise_or bitwise_xor broadcast_to collapse_sum_to "
        "dyn.broadcast_to dyn.strided_slice equal greater greater_equal left_shift less less_equal "
        "logical_and logical_not logical_or logical_xor max maximum mean min minimum not_equal ones_like "
        "power prod right_shift strided_set strided_slice sum variance where zeros_like "
    ),
    5: (
        "auto_scheduler_layout_transform dyn.image.resize2d image.affine_grid image.crop_and_resize "
        "image.grid_sample image.resize1d image.resize2d image.resize3d layout_transform "
        "meta_schedule_layout_transform nn.batch_to_space_nd nn.deformable_conv2d nn.depth_to_space "
        "nn.space_to_batch_nd nn.space_to_depth vision.all_class_non_max_suppression vision.get_valid_counts "
        "vision.multibox_prior vision.multibox_transform_loc vision.non_max_suppression vision.proposal "
        "vision.regular_non_max_suppression vision.roi_align vision.roi_pool vision.yolo_reorg "
    ),
    6: (
        "argsort dyn.topk searchsorted sort topk "
    ),
    10: (
        "annotation.bitpack_end annotation.bitpack_start annotation.cast_hint annotation.checkpoint "
        "annotation.compiler_begin annotation.compiler_end annotation.stop_fusion argwhere broadcast_to_like "
        "call_lowered collapse_sum_like contrib_reverse_reshape device_copy dyn.one_hot fixed_point_multiply "
        "fixed_point_multiply_per_axis matrix_set_diag memory.alloc_storage memory.alloc_tensor memory.kill "
        "ndarray_size nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d "
        "nn.adaptive_max_pool1d nn.adaptive_max_pool2d nn.adaptive_max_pool3d nn.batch_matmul "
        "nn.contrib_conv2d_NCHWc nn.contrib_conv2d_gemm_weight_transform "
        "nn.contrib_conv2d_gemm_without_weight_transform nn.contrib_conv2d_winograd_nnpack_weight_transform "
        "nn.contrib_conv2d_winograd_weight_transform nn.contrib_conv2d_winograd_without_weight_transform "
        "nn.contrib_conv3d_winograd_weight_transform nn.contrib_conv3d_winograd_without_weight_transform "
        "nn.contrib_dense_pack nn.contrib_depthwise_conv2d_NCHWc nn.cross_entropy "
        "nn.cross_entropy_with_logits nn.dilate on_device one_hot sequence_mask shape_of slice_like "
        "vm.invoke_tvm_op vm.reshape_tensor vm.shape_of "
    ),
    11: (
        "contrib.ethosu.binary_elementwise contrib.ethosu.conv2d contrib.ethosu.depthwise_conv2d "
        "contrib.ethosu.identity contrib.ethosu.pooling contrib.ethosu.unary_elementwise einsum qnn.abs "
        "qnn.add qnn.avg_pool2d qnn.batch_matmul qnn.concatenate qnn.contrib_dense_pack qnn.conv2d "
        "qnn.conv2d_transpose qnn.dense qnn.dequantize qnn.erf qnn.exp qnn.hardswish qnn.leaky_relu qnn.log "
        "qnn.mul qnn.quantize qnn.requantize qnn.rsqrt qnn.sigmoid qnn.simulated_dequantize "
        "qnn.simulated_quantize qnn.softmax qnn.sqrt qnn.subtract qnn.tanh "
    ),
}

LEVELS = {name: level for level, names in _LEVELS.items() for name in names.split()}
