"""The factories of Relay's passes. Names, arguments and defaults are TVM's; what a pass does stands in the
core's table (`relayopt --help-pass`)."""

import functools

from ... import _core
from ...ir.transform import FunctionPass, PassContext, Sequential, function_pass, make_pass as _make, module_pass
from ...ir.module import IRModule
from ..function import Function
from .layout_config import LayoutConfig

_OWN = {}
__all__ = ["build_config", "run_on_expr", "LayoutConfig", "FunctionPass", "function_pass"]


def _expect_no_module(name, args):
    if args and isinstance(args[0], IRModule):
        raise TypeError(f"{name}(...) makes a pass, which runs on a module: {name}()(mod)")


def _factory(function):
    @functools.wraps(function)
    def factory(*args, **kwargs):
        _expect_no_module(function.__name__, args)
        return function(*args, **kwargs)

    __all__.append(function.__name__)
    return factory


def _words(factory, option, value):
    """A sequence of names: a text alone would be one of letters."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"{factory}: {option} must be a list of names, not {value!r}")
    return [str(item) for item in value]


def _dict(factory, option, value):
    """Refuses what is not a dict or like one."""
    if not hasattr(value, "items"):
        raise TypeError(f"{factory}: {option} must be a dict, not {value!r}")


def _config(factory, value):
    """Refuses what is not the configuration of a compilation."""
    if not hasattr(value, "primitive_targets"):
        raise TypeError(f"{factory}: config must be what relayopt.target.make_compilation_config gives, not {value!r}")


def _plain(name, doc, options):
    """The factory of a row: its arguments are the options, in their order."""
    names = [option for option, *_ in options]

    def factory(*args, **given):
        _expect_no_module(name, args)
        if len(args) > len(names):
            raise TypeError(f"{name} takes at most {len(names)} arguments, but {len(args)} were given")
        for option, value in zip(names, args):
            if option in given:
                raise TypeError(f"{name}: {option} is given twice")
            given[option] = value
        return _make(name, **given)

    factory.__name__ = factory.__qualname__ = name
    factory.__doc__ = _documentation(name, doc, options)
    factory.__module__ = __name__
    # For make_stubs.py.
    factory._options = options
    __all__.append(name)
    return factory


# Examples of factories of the table: a function before the pass, and its body afterwards.
_EXAMPLES = {
    "DeadCodeElimination": ("%x: int32", "let %y = %x + 1; %x", "<Var %x int32>"),
    "FoldConstant": ("", "(1 + 2) * 3", "<Constant int32[] int32>"),
    "FuseOps": ("%x: Tensor[(2), float32]", "tanh(nn.relu(%x))", "<Call function(%x) Tensor[(2), float32]>"),
    "CanonicalizeOps": (
        "%x: Tensor[(2, 3), float32], %b: Tensor[(3), float32]",
        "nn.bias_add(%x, %b)",
        "<Call add(%x, %b) Tensor[(2, 3), float32]>",
    ),
    "DefuseOps": ("%x: int32", "(fn (%y: int32, Primitive=1) { %y + 1 })(%x)", "<Call add(%x, constant) int32>"),
    "FastMath": ("%x: Tensor[(2), float32]", "tanh(%x)", "<Call fast_tanh(%x) Tensor[(2), float32]>"),
    "SimplifyExpr": (
        "%x: Tensor[(2, 3), float32]",
        "reshape(reshape(%x, newshape=[6]), newshape=[3, 2])",
        "<Call reshape(%x) Tensor[(3, 2), float32]>",
    ),
    "SimplifyInference": ("%x: Tensor[(2), float32]", "nn.dropout(%x).0", "<Var %x Tensor[(2), float32]>"),
    "ToANormalForm": ("%x: int32", "%x + 1", "<Let %x_0 = constant int32>"),
    "ToMixedPrecision": (
        "%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]",
        "nn.dense(%x, %w, units=None)",
        "<Call nn.dense(call, call) Tensor[(2, 4), float16]>",
    ),
}


def _documentation(name, doc, options):
    """The documentation of a factory of the table: what its row says, and an example where there is one."""
    text = doc if doc.endswith(".") else doc + "."
    if options:
        text += " Options:\n" + "".join(f"\n    {option}: {what}" for option, what, _, _ in options)
    if name in _EXAMPLES:
        params, body, result = _EXAMPLES[name]
        text += f'''

>>> mod = relay.parse('#[version = "0.0.5"] def @main({params}) {{ {body} }}')
>>> relay.transform.{name}()(mod)["main"].body
{result}'''
    return text


# The factories of the table; those below take the arguments that TVM's take.
for _row in _core.pass_table():
    globals()[_row["name"]] = _plain(_row["name"], _row["summary"], _row["options"])


def build_config(opt_level=2, required_pass=None, disabled_pass=None, trace=None, fallback_device=None, **kwargs):
    """A PassContext; `trace(mod, info, is_before)` is called around every pass.

    >>> mod = relay.parse('#[version = "0.0.5"] def @main() { 1 + 2 }')
    >>> with relay.transform.build_config(opt_level=3, trace=lambda mod, info, before: print(info.name, before)):
    ...     mod = relay.transform.FoldConstant()(mod)
    FoldConstant True
    InferType True
    InferType False
    FoldConstant False
    """
    if fallback_device is not None:
        import warnings

        warnings.warn("fallback_device is ignored: relayopt generates no code", DeprecationWarning, stacklevel=2)
    return PassContext(opt_level, required_pass, disabled_pass, trace=trace, **kwargs)


def run_on_expr(opt_pass, expr, mod=None):
    """Runs a pass on an expression: a function comes back as a function, anything else as its body.

    >>> relay.transform.run_on_expr(relay.transform.FoldConstant(), relay.const(1) + relay.const(2))
    <Constant int32[] int32>
    """
    return _run_on_expr(opt_pass, expr, mod)


def _run_on_expr(opt_pass, expr, mod=None):
    module = IRModule.from_expr(expr)
    if mod is not None:
        joined = mod._copy()
        if isinstance(opt_pass, str):
            opt_pass = _make(opt_pass)
        name = "__expr__"
        joined._add(_core.module_global_var(joined, name), module["main"])
        result = opt_pass(joined)[name]
    else:
        if isinstance(opt_pass, str):
            opt_pass = _make(opt_pass)
        result = opt_pass(module)["main"]
    return result if isinstance(expr, Function) else result.body


@_factory
def InferTypeLocal(expr):
    """The type of an expression, from the types that its operands have; noted in the expression.

    >>> relay.transform.InferTypeLocal(relay.tanh(relay.var("x", shape=(2, 3))))
    Tensor[(2, 3), float32]
    """

    typed = InferType()(IRModule.from_expr(_typed_leaves(expr)))["main"]
    found = typed.body.checked_type if not isinstance(expr, Function) else typed.checked_type
    expr._set("_checked_type_", found)
    return found


def _typed_leaves(expr):
    """The expression over variables of its operands' types, where those are known."""
    from ..expr import Call, Var

    if isinstance(expr, Call):
        def leaf(arg, number):
            from ..expr import Constant

            if isinstance(arg, (Constant, Function)) or arg._checked_type_ is None:
                return arg
            return Var(f"p{number}", arg._checked_type_)

        made = {}
        args = []
        for number, arg in enumerate(expr.args):
            if arg not in made:
                made[arg] = leaf(arg, number)
            args.append(made[arg])
        return Call(expr.op, args, expr.attrs, list(expr.type_args))
    return expr


@_factory
def RemoveUnusedFunctions(entry_functions=None):
    """Removes functions that the entry functions do not reach.

    >>> mod = relay.parse('''
    ... #[version = "0.0.5"]
    ... def @main() { 1 }
    ... def @unused() { 2 }
    ... ''')
    >>> relay.transform.RemoveUnusedFunctions()(mod).get_global_vars()
    [I.GlobalVar("main")]
    """
    names = ["main"] if entry_functions is None else _words("RemoveUnusedFunctions", "entry_functions", entry_functions)
    return _make("RemoveUnusedFunctions", entry_functions=names)


@_factory
def FlexibleShapeDispatch(buckets, axis=0, auto_pad=False, pad_value=0, input_indices=None, affects_output=True):
    """Makes @main take inputs of several extents along an axis: a function for each of `buckets`, and one that chooses.

    With `auto_pad` inputs between two buckets are padded; `input_indices` are the parameters that have the extent.

    >>> mod = relay.parse('#[version = "0.0.5"] def @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) }')
    >>> mod = relay.transform.FlexibleShapeDispatch([1, 4], auto_pad=True)(mod)
    >>> mod.get_global_vars()
    [I.GlobalVar("main"), I.GlobalVar("main_1"), I.GlobalVar("main_4")]
    >>> relay.create_executor("vm", mod).evaluate()(np.ones((3, 3), "float32")).shape
    (3, 3)
    """
    inputs = [0] if input_indices is None else input_indices
    return _make("FlexibleShapeDispatch", buckets=str([int(each) for each in buckets]), axis=int(axis), auto_pad=bool(auto_pad),
                 pad_value=float(pad_value), input_indices=str([int(each) for each in inputs]),
                 affects_output=bool(affects_output))


@_factory
def FoldConstantExpr(expr, mod, fold_qnn=False):
    """FoldConstant on an expression."""
    return _run_on_expr(FoldConstant(fold_qnn), expr, None)


@_factory
def BatchingOps():
    """The three CombineParallel passes."""
    return Sequential([CombineParallelConv2D(), CombineParallelDense(), CombineParallelBatchMatmul()])


@_factory
def AlterOpLayout():
    """Changes layouts as the target likes them; `FTVMAlterOpLayout` registered in Python is asked first."""
    from .layout_callbacks import alter_op_layout, asks_when_altering

    return alter_op_layout() if asks_when_altering() else _make("AlterOpLayout")


@_factory
def ConvertLayout(desired_layouts):
    """Converts operators to the layouts that are wanted for their inputs.

    >>> x, w = relay.var("x", shape=(1, 16, 8, 8)), relay.var("w", shape=(16, 16, 3, 3))
    >>> mod = relayopt.IRModule.from_expr(relay.nn.conv2d(x, w, kernel_size=(3, 3), channels=16))
    >>> mod = relay.transform.ConvertLayout({"nn.conv2d": ["NHWC", "default"]})(mod)
    >>> [call.attrs.data_layout for call in relay.analysis.walk(mod["main"].body)
    ...  if isinstance(call, relay.Call) and call.op.name == "nn.conv2d"]
    ['NHWC']
    """
    _dict("ConvertLayout", "desired_layouts", desired_layouts)
    for op, wanted in desired_layouts.items():
        if isinstance(wanted, str):
            raise TypeError(f"a list of layouts is wanted for {op}, one for each input, not '{wanted}': ['{wanted}', 'default']")
    layouts = {str(op): [str(layout) for layout in wanted] for op, wanted in dict(desired_layouts.items()).items()}
    from .layout_callbacks import asks_when_converting, convert_layout

    if not layouts:
        # Nothing is converted, but types are inferred, as for any function pass.
        return function_pass(lambda func, mod, ctx: func, opt_level=3, name="ConvertLayout")
    return convert_layout(layouts) if asks_when_converting() else _make("ConvertLayout", desired_layouts=layouts)


@_factory
def Legalize(legalize_map_attr_name="FTVMLegalize"):
    """Replaces calls by what targets can compute; functions registered in Python are asked first."""
    from ...ir.op import run_time_attributes

    found = run_time_attributes(legalize_map_attr_name)
    if found or legalize_map_attr_name != "FTVMLegalize":
        from .callbacks import legalize

        return legalize(legalize_map_attr_name)
    return _make("Legalize")


@_factory
def MergeComposite(pattern_table):
    """Makes composite functions of what matches patterns: (name, pattern) or (name, pattern, check).

    >>> from relayopt.relay.dataflow_pattern import is_op, wildcard
    >>> table = [("my.dense_relu", is_op("nn.relu")(is_op("nn.dense")(wildcard(), wildcard())))]
    >>> x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
    >>> mod = relayopt.IRModule.from_expr(relay.nn.relu(relay.nn.dense(x, w)))
    >>> relay.transform.MergeComposite(table)(mod)["main"].body.op.attrs["Composite"]
    'my.dense_relu'
    """
    from .callbacks import merge_composite

    listed = hasattr(pattern_table, "__iter__") and not isinstance(pattern_table, (str, dict))
    entries = list(pattern_table) if listed else [pattern_table]
    if not all(isinstance(entry, (tuple, list)) and len(entry) in (2, 3) for entry in entries):
        raise TypeError("MergeComposite: a table of patterns is a list of (name, pattern) or (name, pattern, check); that of a compiler is "
                        f"relay.op.contrib.get_pattern_table('{pattern_table}')")
    return merge_composite(entries)


@_factory
def AnnotateTarget(targets, include_non_call_ops=True):
    """Marks what external compilers support, as `target.<name>` registered for operators says."""

    names = [str(targets)] if isinstance(targets, str) else _words("AnnotateTarget", "targets", targets)
    from .callbacks import annotate_target

    return annotate_target(names, include_non_call_ops)


@_factory
def PartitionGraph(mod_name="default", bind_constants=True):
    """Makes a function of every region of an external compiler.

    A global function `relay.ext.COMPILER.optimize`, where one is registered, is given each of these functions as the
    `main` of a module and gives back that module.

    >>> from relayopt.ir import register_op_attr
    >>> supported = register_op_attr("tanh", "target.mycompiler", lambda expr: True)
    >>> mod = relayopt.IRModule.from_expr(relay.nn.relu(relay.tanh(relay.var("x", shape=(2,)))))
    >>> seq = transform.Sequential([relay.transform.AnnotateTarget("mycompiler"), relay.transform.PartitionGraph()])
    >>> [var.name_hint for var in seq(mod).get_global_vars()]
    ['main', 'tvmgen_default_mycompiler_main_0']
    >>> relay.op.get("tanh").reset_attr("target.mycompiler")
    """
    from .outline import optimized_by_compilers

    return optimized_by_compilers(_make("PartitionGraph", mod_name=mod_name, bind_constants=bind_constants))


@_factory
def EliminateCommonSubexpr(fskip=None):
    """Computes equal things once; `fskip(expr)` says which calls are left alone.

    >>> x = relay.var("x", shape=(2,))
    >>> mod = relayopt.IRModule.from_expr(relay.tanh(x) + relay.tanh(x))
    >>> relay.analysis.list_op_freqs(relay.transform.EliminateCommonSubexpr()(mod))
    {"tanh": 1, "add": 1}
    >>> skip_tanh = relay.transform.EliminateCommonSubexpr(lambda call: call.op.name == "tanh")
    >>> relay.analysis.list_op_freqs(skip_tanh(mod))
    {"tanh": 2, "add": 1}
    """
    if fskip is None:
        return _make("EliminateCommonSubexpr")
    if not callable(fskip):
        raise TypeError(f"EliminateCommonSubexpr: fskip must be a function of an expression, not {fskip!r}")
    from .callbacks import with_callbacks

    return with_callbacks(_make("EliminateCommonSubexpr"), {"skips": fskip})


@_factory
def ToANormalFormExpr(e):
    """ToANormalForm on an expression."""
    return _run_on_expr("ToANormalForm", e)


@_factory
def ToCPS(expr, mod=None):
    """A function in continuation-passing style."""
    return _function_pass_on("ToCPS", expr, mod)


@_factory
def to_cps(func, mod=None):
    """A function in continuation-passing style, with types. What it calls is added to `mod`, as NAME_cps."""
    return _function_pass_on("ToCPS", func, mod)


@_factory
def un_cps(func):
    """The inverse of to_cps."""
    return _function_pass_on("UnCPS", func, None)


def _function_pass_on(name, func, mod):
    module = IRModule() if mod is None else mod._copy()
    taken = set(_core.module_function_names(module))
    unique = "main" if "main" not in taken else "__expr__"
    module._add(_core.module_global_var(module, unique), func)
    if mod is None:
        _declare_globals(module, func)
        _core.declare_constructors(module, func)
    result = _make(name)(module)
    if mod is not None:
        _take_new(mod, result, unique)
    return result[unique]


def _declare_globals(module, func):
    """Adds functions in the place of global ones that a function calls and nobody gave, of the types that they have."""
    from ...ir.expr import GlobalVar
    from ..expr import Call, Var

    for var in {node.name_hint: node for node in _core.post_order(func) if isinstance(node, GlobalVar)}.values():
        ty = var._checked_type_
        if ty is None or _core.module_get(module, var.name_hint) is not None:
            continue
        params = [Var(f"p{number}", arg) for number, arg in enumerate(ty.arg_types)]
        own = _core.module_global_var(module, var.name_hint)
        module._add(own, Function(params, Call(own, params), ty.ret_type, list(ty.type_params)))


def _take_new(mod, result, but):
    """Adds to a module what a pass made besides the function that it was asked for."""
    for var, function in _core.module_functions(result).items():
        if var.name_hint != but and _core.module_get(mod, var.name_hint) is None:
            mod._add(var, function)


@_factory
def gradient(expr, mod=None, mode="higher_order"):
    """The function that computes the result and the gradients of a function (or of a global one: a GlobalVar of `mod`).

    Gradients of functions that it calls are added to `mod`, as NAME_grad.

    >>> x = relay.var("x", shape=(2,))
    >>> f = relay.transform.run_on_expr(relay.transform.InferType(), relay.Function([x], x * x))
    >>> run = relay.create_executor("debug").evaluate(relay.transform.gradient(f, mode="first_order"))
    >>> value, (grad,) = run(np.array([2, 3], "float32"))
    >>> grad.numpy()
    array([4., 6.], dtype=float32)
    """
    if mode not in ("higher_order", "first_order"):
        raise Exception("unknown mode")
    if mode == "first_order" and mod is not None:
        import warnings

        warnings.warn("using transform.gradient for first-order AD is deprecated, please use the FirstOrderGradient pass",
                      DeprecationWarning, stacklevel=2)
        raise RuntimeError("first order AD on module is not supported, use the FirstOrderGradient pass")
    module = IRModule() if mod is None else mod._copy()
    # The passes look at @main.
    module._add(_core.module_global_var(module, "main"), expr)
    result = _make("FirstOrderGradient" if mode == "first_order" else "Gradient")(module)
    if mod is not None:
        _take_new(mod, result, "main")
    return result["main"]


@_factory
def Defunctionalization(func, mod):
    """A function without functions as values; the module gets what it needs."""
    taken = dict(_core.module_functions(mod))
    name = next((gv.name_hint for gv, f in taken.items() if f is func), None)
    module = mod._copy()
    if name is None:
        name = "main" if "main" not in _core.module_function_names(mod) else "__expr__"
        module._add(_core.module_global_var(module, name), func)
    result = _make("Defunctionalization")(module)
    mod.update(result)
    return result[name]


@_factory
def DenseToSparse(weight_name, weight_shape):
    """Makes sparse products of dense layers with these weights."""
    return _make("DenseToSparse", weight_name=[str(n) for n in weight_name], weight_shape=_shapes(weight_shape))


def _shapes(weight_shape):
    """For each weight the extents of its three parameters in one list, as the core writes them."""
    return ["x".join(str(int(extent)) for extent in shape) for shape in weight_shape]


@_factory
def Conv2dToSparse(weight_name, weight_shape, layout, kernel_size):
    """Makes sparse convolutions of those with these weights."""
    return _make("Conv2dToSparse", weight_name=[str(n) for n in weight_name], weight_shape=_shapes(weight_shape),
                 layout=layout, kernel_size=kernel_size)


@_factory
def Conv2dToSparse2(layout, kernel_size, blocksize, sparsity_threshold):
    """Makes sparse convolutions of those with constant weights that are sparse enough."""
    return _make("Conv2dToSparse2", layout=layout, kernel_size=kernel_size, block_height=int(blocksize[0]),
                 block_width=int(blocksize[1]), sparsity_threshold=float(sparsity_threshold))


@_factory
def SimplifyFCTranspose(target_weight_name):
    """Takes transpositions of these weights out of dense layers."""
    return _make("SimplifyFCTranspose", target_weights=[str(name) for name in target_weight_name])


@_factory
def FakeQuantizationToInteger(hard_fail=False, use_qat=False, optional_qnn_ops=None):
    """Computes what lies between dequantize and quantize on integers."""
    from .fake_quantization_to_integer import fake_quantization

    return fake_quantization(hard_fail, use_qat, [str(op) for op in optional_qnn_ops or []])


@_factory
def ToMixedPrecision(mixed_precision_type="float16", missing_op_mode=1):
    """Computes in a reduced type what can be; missing_op_mode 0: error, 1: follow and warn, 2: follow."""
    if missing_op_mode < 0 or missing_op_mode > 2:
        raise ValueError("Missing op mode is either 0, 1, or 2")
    return _make("ToMixedPrecision", mixed_precision_type=mixed_precision_type, missing_op_mode=missing_op_mode)


@_factory
def SplitArgs(max_function_args):
    """Splits concatenations that have more arguments than functions may have; 0: any number."""
    if hasattr(max_function_args, "__int__") and int(max_function_args) == 0:
        return module_pass(lambda mod, ctx: mod, opt_level=1, name="SplitArgs", required=["InferType"])
    return _make("SplitArgs", max_function_args=max_function_args)


@_factory
def PlanDevices(config):
    """Finds out on which device every value is, writes it into functions and parameters, and copies where a value is
    needed on another device. `config` is what `relayopt.target.make_compilation_config` gives."""
    from .device_map import key_of

    _config("PlanDevices", config)
    device, host = (":".join(map(str, key_of(each))) for each in (config.default_primitive_virtual_device,
                                                                   config.host_virtual_device))
    return _make("PlanDevices", device=device, host=host)


@_factory
def ManifestAlloc(host_virtual_device=None):
    """Allocates the memory of lowered kernels. Code generation makes those, which relayopt has not: a module that calls
    none stays, any other is an error."""
    from ...error import TVMError

    @module_pass(opt_level=0, name="ManifestAlloc")
    def run(mod, ctx):
        for var, function in mod.functions.items():
            for node in _core.post_order(function):
                if getattr(node, "name", None) == "call_lowered":
                    raise TVMError(f"ManifestAlloc: @{var.name_hint} calls lowered kernels; relayopt generates none and cannot "
                                   "tell what memory they need")
        return mod

    return run


@_factory
def CollagePartition(config, cost_estimator=None):
    """Gives each operator to the target of `config` that computes it, alone or with neighbours, at the least cost.

    `cost_estimator` is a function cost(mod, target) of seconds, a table {kind of target: cost of an operator}, or an object
    with `estimate(mod, target)`. What external compilers compute are the patterns of their tables (`register_pattern_table`).
    The context has to say how deep candidates may be: relay.collage.tvm_max_depth, relay.collage.byoc_max_depth.
    """
    from ..collage.partition import collage_partition

    _config("CollagePartition", config)
    return collage_partition(config, cost_estimator)


@_factory
def InlineCompilerFunctionsBoundTo(global_vars):
    """Inlines the functions of these names."""
    names = list(global_vars)
    if not all(hasattr(var, "name_hint") for var in names):
        raise TypeError(f"InlineCompilerFunctionsBoundTo: global_vars must be a list of GlobalVar, not {names!r}")
    return _make("InlineCompilerFunctionsBoundTo", global_vars=[var.name_hint for var in names])


@_factory
def ChangeBatch(data, batch_size=16):
    """Gives inputs another batch size: `data` maps each variable to the position of its batch axis."""
    from .change_batch import change_batch

    _dict("ChangeBatch", "data", data)
    if not isinstance(batch_size, int):
        raise TypeError(f"ChangeBatch: batch_size must be an integer, not {batch_size!r}")
    return change_batch(data, batch_size)


InferType = globals()["InferType"]
