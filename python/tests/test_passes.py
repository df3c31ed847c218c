import pytest

import relayopt
from relayopt import relay, transform
from relayopt.ir.instrument import PassTimingInstrument, pass_instrument
from relayopt.ir.transform import PassContext


def module():
    x = relay.var("x", shape=(2, 3))
    return relayopt.IRModule.from_expr(relay.Function([x], relay.exp(x) + relay.exp(x)))


class Recorder:
    def __init__(self, events, name="", raises=None):
        self.events, self.name, self.raises = events, name, raises

    def _note(self, what):
        self.events.append(f"{self.name}{what}")
        if self.raises == what:
            raise ValueError(f"{self.name}{what}")

    def enter_pass_ctx(self):
        self._note("enter")

    def exit_pass_ctx(self):
        self._note("exit")

    def should_run(self, mod, info):
        self.events.append(f"{self.name}should {info.name}")
        return True

    def run_before_pass(self, mod, info):
        self._note("before")

    def run_after_pass(self, mod, info):
        self._note("after")


def recorder(events, name="", raises=None):
    return pass_instrument(type("R", (Recorder,), {}))(events, name, raises)


def test_instruments_see_the_nested_type_inference():
    events = []
    with PassContext(opt_level=3, instruments=[recorder(events)]):
        relay.transform.EliminateCommonSubexpr()(relay.transform.InferType()(module()))
    names = [e.split()[1] for e in events if "should" in e]
    assert names == ["InferType", "EliminateCommonSubexpr", "InferType"]


def test_enter_that_fails_leaves_those_before_in_reverse_and_clears():
    events = []
    instruments = [recorder(events, "a "), recorder(events, "b "), recorder(events, "c ", "enter"), recorder(events, "d ")]
    context = PassContext(instruments=instruments)
    with pytest.raises(ValueError, match="c enter"):
        with context:
            events.append("body")
    assert events == ["a enter", "b enter", "c enter", "b exit", "a exit"]
    assert context.instruments == []


def test_exit_that_fails_clears_and_the_context_is_left():
    events = []
    outer = PassContext.current()
    context = PassContext(instruments=[recorder(events, "a ", "exit"), recorder(events, "b ")])
    with pytest.raises(ValueError, match="a exit"):
        with context:
            pass
    assert events == ["a enter", "b enter", "a exit"]
    assert PassContext.current() is outer
    assert context.instruments == []


def test_an_exception_in_a_callback_is_the_same_object_outside():
    error = KeyError("mine")

    @pass_instrument
    class Fails:
        def run_before_pass(self, mod, info):
            raise error

    with pytest.raises(KeyError) as caught:
        with PassContext(instruments=[Fails()]):
            relay.transform.InferType()(module())
    assert caught.value is error


def test_a_vote_against_a_pass_keeps_the_module():
    @pass_instrument
    class Skip:
        def should_run(self, mod, info):
            return info.name != "InferType"

    mod = module()
    with PassContext(instruments=[Skip()]):
        assert relay.transform.InferType()(mod) is mod


def test_config_is_checked():
    with pytest.raises(AttributeError, match="Invalid config option"):
        PassContext(config={"relay.FuseOps.max_deep": 1})
    with pytest.raises(AttributeError, match="expect config relay.FuseOps.max_depth to have type IntImm"):
        PassContext(config={"relay.FuseOps.max_depth": "x"})
    assert PassContext(config={"tir.UnrollLoop": {"auto_max_step": 4}}).config["tir.UnrollLoop"].auto_max_depth == 8


def test_a_module_pass_on_a_function_and_on_a_class():
    seen = []

    @relayopt.transform.module_pass(opt_level=2)
    def by_function(mod, ctx):
        seen.append(ctx)
        return mod

    @relay.transform.module_pass(opt_level=1, name="ByClass")
    class ByClass:
        def __init__(self, factor):
            self.factor = factor

        def transform_module(self, mod, ctx):
            seen.append(self.factor)
            return mod

    mod = module()
    assert by_function(mod) is mod
    made = ByClass(3)
    assert made.factor == 3 and made.info.name == "ByClass"
    made(mod)
    assert seen[1] == 3
    with pytest.raises(ValueError, match="Please provide opt_level"):
        relayopt.transform.module_pass(lambda mod, ctx: mod)


def test_a_class_whose_method_is_indented_away_is_refused():
    with pytest.raises(TypeError, match="transform_function"):

        @relay.transform.function_pass(opt_level=1)
        class Wrong:
            def __init__(self):
                def transform_function(self, func, mod, ctx):
                    return func


def test_sequences_go_by_level_name_and_requirement():
    ran = []

    def noted(name, level):
        return relayopt.transform.module_pass(lambda mod, ctx: (ran.append(name), mod)[1], opt_level=level, name=name)

    sequence = relayopt.transform.Sequential([noted("low", 1), noted("high", 4), noted("off", 0)])
    with PassContext(opt_level=2, disabled_pass=["off"]):
        sequence(module())
    with PassContext(opt_level=0, required_pass=["high"]):
        sequence(module())
    assert ran == ["low", "high", "off"]


def test_trace_is_called_around_passes():
    calls = []
    with relay.build_config(opt_level=2, trace=lambda mod, info, before: calls.append((info.name, before))):
        relay.transform.InferType()(module())
    assert calls == [("InferType", True), ("InferType", False)]


def test_a_pass_runs_in_a_given_context():
    seen = []
    context = PassContext(opt_level=1)
    relayopt.transform.module_pass(lambda mod, ctx: (seen.append(ctx), mod)[1], opt_level=0)(module(), context)
    assert seen == [context]


def test_timing_renders_inside_of_the_context_only():
    timing = PassTimingInstrument()
    with PassContext(instruments=[timing]):
        relay.transform.FoldConstant()(relay.transform.InferType()(module()))
        assert "FoldConstant" in timing.render()
    assert timing.render() == ""
    assert [p.name for p in timing.profile()] == ["InferType", "FoldConstant"]


def test_a_function_pass_cannot_assign_to_the_module():
    @relay.transform.function_pass(opt_level=0)
    def assigns(func, mod, ctx):
        mod["other"] = func
        return func

    with pytest.raises(TypeError):
        assigns(module())


def test_quantized_operators_stay_quantized_when_they_are_legalized():
    def quantized(data):
        scale, zero = relay.const(1.0), relay.const(0)
        return relay.qnn.op.requantize(data, scale, zero, scale, zero, out_dtype="int8")

    x = relay.var("x", shape=(4,), dtype="int8")
    before = relay.Function([x], quantized(x))
    after = relay.Function([x], quantized(relay.add(relay.const(0, "int8"), x)))
    with relay.testing.temp_op_attr.TempOpAttr("qnn.requantize", "FTVMQnnLegalize",
                                               lambda attrs, args, types: quantized(relay.add(relay.const(0, "int8"), args[0]))):
        made = relay.qnn.transform.Legalize()(relayopt.IRModule.from_expr(before))
    wanted = relay.transform.InferType()(relayopt.IRModule.from_expr(after))
    relayopt.ir.assert_structural_equal(made, wanted)


def test_memory_of_kernels_is_planned_only_where_there_are_none():
    x = relay.var("x", shape=(4,))
    mod = relay.transform.InferType()(relayopt.IRModule.from_expr(relay.Function([x], relay.nn.relu(x))))
    relayopt.ir.assert_structural_equal(relay.transform.ManifestAlloc()(mod), mod)
    lowered = relayopt.IRModule.from_expr(relay.Function([x], relay.op.make("call_lowered", relay.GlobalVar("kernel"), relay.Tuple([x]))))
    with pytest.raises(relayopt.TVMError, match="ManifestAlloc: @main calls lowered kernels"):
        relay.transform.ManifestAlloc()(lowered)


def test_transposed_convolutions_count_windows():
    data, weight = relay.var("d", shape=(1, 3, 8, 8)), relay.var("w", shape=(3, 4, 3, 3))
    made = relay.nn.conv2d_transpose(data, weight, channels=4, kernel_size=(3, 3))
    mod = relay.transform.InferType()(relayopt.IRModule.from_expr(made))
    assert relay.analysis.get_total_mac_number(mod["main"]) == 4 * 10 * 10 * 3 * 9


def test_a_check_of_a_later_pattern_sees_types():
    from relayopt.relay.dataflow_pattern import is_op, wildcard

    seen = []

    def check(call):
        seen.append(call.args[0].checked_type)
        return True

    x = relay.var("x", shape=(2, 3))
    mod = relayopt.IRModule.from_expr(relay.Function([x], relay.tanh(relay.exp(relay.nn.relu(x + x)))))
    table = [("ours.add_relu", is_op("nn.relu")(is_op("add")(wildcard(), wildcard()))),
             ("ours.exp_tanh", is_op("tanh")(is_op("exp")(wildcard())), check)]
    made = relay.transform.MergeComposite(table)(mod)
    assert seen == [relay.TensorType((2, 3))]
    assert made["main"].body.op.attrs["Composite"] == "ours.exp_tanh"


def test_shapes_of_unknown_rank_are_folded_before_they_are_typed():
    fill, like = relay.var("fill", shape=(), dtype="int32"), relay.var("like", shape=(1, 2, 3), dtype="int64")
    shape = relay.shape_of(like)
    shape = relay.strided_slice(shape, [0], relay.shape_of(shape))
    mod = relayopt.IRModule.from_expr(relay.Function([fill, like], relay.full(fill, shape, "int32")))
    body = relay.transform.DynamicToStatic()(mod)["main"].body
    assert body.op.name == "full" and body.checked_type == relay.TensorType((1, 2, 3), "int32")


def test_the_branch_that_is_not_taken_needs_no_type():
    x = relay.var("x", shape=(2, 2))
    branches = relay.If(relay.const(1), relay.reshape(x, (1, 4)), relay.reshape(x, (4, 1)))
    mod = relay.transform.DynamicToStatic()(relayopt.IRModule.from_expr(relay.Function([x], branches)))
    assert mod["main"].checked_type == relay.FuncType([relay.TensorType((2, 2))], relay.TensorType((1, 4)))


def test_an_instrument_cannot_change_what_it_is_shown():
    @pass_instrument
    class Meddler:
        def run_before_pass(self, mod, info):
            mod["more"] = relay.Function([], relay.const(1))

    mod = relayopt.IRModule.from_expr(relay.const(1))
    with PassContext(instruments=[Meddler()]), pytest.raises(TypeError, match="an instrument cannot change"):
        relay.transform.FoldConstant()(mod)
    assert len(mod) == 1
    mod["more"] = relay.Function([], relay.const(1))


def test_names_of_no_pass_and_passes_left_out_are_worth_a_warning():
    mod = relayopt.IRModule.from_expr(relay.const(1))
    sequence = relayopt.transform.Sequential([relay.transform.CombineParallelDense()])
    with pytest.warns(UserWarning, match="no pass 'CombineParallelDenze'.*did you mean 'CombineParallelDense'"):
        with PassContext(disabled_pass=["CombineParallelDenze"]):
            sequence(mod)
    with pytest.warns(UserWarning, match="CombineParallelDense is left out: it needs opt_level 4"):
        with PassContext(opt_level=1, warn_about_skipped_passes=True):
            sequence(mod)


def test_contexts_name_each_other_when_they_are_left_in_the_wrong_order():
    outer, inner = PassContext(opt_level=1), PassContext(opt_level=3)
    with outer:
        inner.__enter__()
        with pytest.raises(RuntimeError, match=r"opt_level=1.*opt_level=3"):
            outer.__exit__(None, None, None)
        inner.__exit__(None, None, None)
    assert outer.same_as(outer) and not outer.same_as(inner)


def test_statistics_remarks_and_verification_watch_the_core():
    mod = relay.parse('#[version = "0.0.5"] def @main(%x: int32) { (-%x) * (-%x) }')
    statistics, remarks = relayopt.instrument.Statistics(), relayopt.instrument.Remarks()
    with PassContext(instruments=[relayopt.instrument.Verify(), remarks], statistics=statistics):
        relay.transform.EliminateCommonSubexpr()(mod)
    merged = "EliminateCommonSubexpr.merged"
    assert statistics.counts[merged] == 1 and merged in str(statistics)
    (remark,) = [each for each in remarks.take() if each.pass_name == "EliminateCommonSubexpr"]
    assert (remark.kind, remark.function) == ("passed", "main") and not remarks.take()


def test_passes_that_ask_python_get_types_when_they_are_called_by_themselves():
    seen = []
    x = relay.var("x", shape=(2,))
    mod = relayopt.IRModule.from_expr(relay.nn.relu(x))
    with relay.testing.temp_op_attr.TempOpAttr("nn.relu", "FTVMLegalize",
                                               lambda attrs, inputs, types: seen.append(str(types[1]))):
        relay.transform.Legalize()(mod)
    assert seen == ["Tensor[(2), float32]"]
    table = [("relu", relay.dataflow_pattern.is_op("nn.relu")(relay.dataflow_pattern.wildcard()),
              lambda call: seen.append(str(call.checked_type)) or True)]
    relay.transform.MergeComposite(table)(mod)
    assert seen == ["Tensor[(2), float32]"] * 2


# Factory, example of its arguments, name in its info, level, required passes.
FACTORIES = """
InferType||InferType|0|
BackwardFoldScaleAxis||BackwardFoldScaleAxis|3|InferType
ForwardFoldScaleAxis||ForwardFoldScaleAxis|3|InferType
FoldScaleAxis||FoldScaleAxis|0|
CanonicalizeOps||CanonicalizeOps|3|InferType
CanonicalizeCast||CanonicalizeCast|3|InferType
DefuseOps||DefuseOps|3|InferType
RemoveUnusedFunctions|["main"]|RemoveUnusedFunctions|1|
FastMath||FastMath|4|InferType
DeadCodeElimination|True, True|DeadCodeElimination|1|InferType
LazyGradientInit||LazyGradientInit|2|
FoldConstant|True|FoldConstant|2|
FuseOps|2|FuseOps|0|InferType
CombineParallelConv2D|2|CombineParallelConv2d|4|InferType
CombineParallelDense|2, False|CombineParallelDense|4|InferType
CombineParallelBatchMatmul|2|CombineParallelBatchMatmul|4|InferType
BatchingOps||sequential|0|
AlterOpLayout||AlterOpLayout|3|InferType
ConvertLayout|{"nn.conv2d": ["NHWC", "default"]}|ConvertLayout|3|InferType,CanonicalizeOps
Legalize|"FTVMLegalize"|Legalize|1|InferType
MergeComposite|[]|MergeComposite|0|InferType
MergeCompilerRegions||MergeCompilerRegions|0|
ToANormalForm||ToANormalForm|1|
ToBasicBlockNormalForm||ToBasicBlockNormalForm|1|
ToGraphNormalForm||ToGraphNormalForm|1|
EtaExpand|True, True|EtaExpand|1|
EliminateCommonSubexpr|lambda expr: False|EliminateCommonSubexpr|3|InferType
PartialEvaluate||PartialEval|1|
LambdaLift||LambdaLift|1|
PartitionGraph|"mine", False|PartitionGraph|0|
AnnotateTarget|["dnnl"], False|AnnotateTargetFunc|0|InferType
DynamicToStatic||DynamicToStatic|2|
Inline||InlineGlobals|1|
FirstOrderGradient||FirstOrderGradient|0|
SimplifyExpr||SimplifyExpr|0|InferType
SimplifyInference||SimplifyInference|0|InferType
FlattenAtrousConv||FlattenAtrousConv|0|InferType
DenseToSparse|["w"], [[3, 16, 1, 3, 2]]|DenseToSparse|0|InferType
Conv2dToSparse|["w"], [[3, 16, 1, 3, 2]], "NHWC", 1|Conv2dToSparse|0|InferType
Conv2dToSparse2|"NHWC", 1, (16, 1), 0.8|Conv2dToSparse2|0|InferType
SimplifyFCTranspose|["w"]|SimplifyFCTranspose|0|InferType
ManifestLifetimes||ManifestLifetimes|0|
FoldExplicitPadding|| FoldExplicitPadding|0|InferType
AnnotateSpans||AnnotateSpans|0|
FakeQuantizationToInteger|True, True, ["abs"]|FakeQuantizationToInteger|0|InferType,DivToMul
ToMixedPrecision|"bfloat16", 2|ToMixedPrecision|0|InferType
SplitArgs|5|SplitArgs|1|InferType
SplitArgs|0|SplitArgs|1|InferType
OutlineCompilerFunctionsWithExistingGlobalSymbols|"x"|OutlineCompilerFunctions|0|
MarkCompilerFunctionsAsExtern|"x"|MarkCompilerFunctionsAsExtern|0|
InlineCompilerFunctionsBoundTo|[]|InlineCompilerFunctionsBoundTo|0|
CapturePostDfsIndexInSpans||CapturePostDfsIndexInSpans|0|
DivToMul||DivToMul|0|InferType,FoldConstant
ChangeBatch|{"x": 0}, 2|ChangeBatch|1|
"""


@pytest.mark.parametrize("row", FACTORIES.strip("\n").split("\n"), ids=lambda row: row.split("|")[0])
def test_factories_make_passes_with_the_names_and_levels_of_tvm(row):
    factory, arguments, name, level, required = row.split("|")
    made = eval(f"relay.transform.{factory}({arguments})")
    assert (str(made.info.name), int(made.info.opt_level)) == (name, int(level))
    assert ",".join(str(each) for each in made.info.required) == required
    kind = transform.Sequential if factory in ("FoldScaleAxis", "BatchingOps") else transform.Pass
    assert isinstance(made, kind) and name.strip() in str(made)
    # Every one of them runs.
    mod = relay.transform.InferType()(relayopt.IRModule.from_expr(relay.nn.relu(relay.var("x", shape=(2, 3)))))
    assert isinstance(made(mod), relayopt.IRModule)


@pytest.mark.parametrize("call, error, text", [
    ("FuseOps(fuse_opt_level='high')", TypeError, "FuseOps: fuse_opt_level must be an integer, not 'high'"),
    ("FoldConstant(fold_qnn='x')", TypeError, "FoldConstant: fold_qnn must be true or false, not 'x'"),
    ("ToMixedPrecision('float16', 3)", ValueError, "Missing op mode is either 0, 1, or 2"),
    ("SplitArgs('a')", TypeError, "SplitArgs: max_function_args must be an integer, not 'a'"),
    ("RemoveUnusedFunctions('main')", TypeError, "RemoveUnusedFunctions: entry_functions must be a list of names, not 'main'"),
    ("RemoveUnusedFunctions(3)", TypeError, "RemoveUnusedFunctions: entry_functions must be a list of names, not 3"),
    ("AnnotateTarget(3)", TypeError, "AnnotateTarget: targets must be a list of names, not 3"),
    ("EliminateCommonSubexpr(3)", TypeError, "EliminateCommonSubexpr: fskip must be a function of an expression, not 3"),
    ("MergeComposite(3)", TypeError, "MergeComposite: a table of patterns is a list"),
    ("ChangeBatch({}, 'x')", TypeError, "ChangeBatch: batch_size must be an integer, not 'x'"),
    ("DenseToSparse(['w'], [['a']])", ValueError, "invalid literal"),
    ("gradient(relay.var('x'), mode='none')", Exception, "unknown mode"),
])
def test_factories_check_their_arguments(call, error, text):
    with pytest.raises(error, match=text):
        eval(f"relay.transform.{call}")


def test_a_sparse_weight_is_three_parameters():
    x, w = relay.var("x", shape=(2, 16)), relay.var("w", shape=(32, 16))
    mod = relayopt.IRModule.from_expr(relay.Function([x, w], relay.nn.dense(x, w)))
    sparse = relay.transform.DenseToSparse(["w"], [[3, 16, 1, 3, 3]])(mod)["main"]
    assert [param.name_hint for param in sparse.params] == ["x", "w.data", "w.indices", "w.indptr"]
    assert sparse.params[1].type_annotation.concrete_shape == (3, 16, 1)


def test_a_pipeline_has_its_text():
    made = relayopt.pipeline("FoldConstant, fixpoint<max=3>( SimplifyExpr )")
    assert made.pipeline_text == "FoldConstant,fixpoint<max=3>(SimplifyExpr)"
    assert relay.transform.FoldConstant().pipeline_text is None


def test_a_rewrite_whose_results_match_again_comes_to_an_end():
    from relayopt.relay.dataflow_pattern import DFPatternCallback, is_op, rewrite, wildcard

    class Again(DFPatternCallback):
        def __init__(self):
            super().__init__()
            self.pattern = is_op("nn.relu")(wildcard())

        def callback(self, pre, post, node_map):
            return relay.nn.relu(post)

    with pytest.raises(relayopt.TVMError, match="do results of a callback match its pattern again"):
        rewrite(Again(), relay.nn.relu(relay.var("x", shape=(2,))))


def test_options_of_a_pass_in_the_context_reach_the_pass():
    mod = relayopt.loads('@T.prim_func\ndef main(A: T.Buffer((4,), "int32")):\n    for i in range(4):\n        A[i] = i\n', name="p.py")
    assert "for i" in relayopt.run(mod, "tir.UnrollLoop")["main"].script()
    unrolled = relayopt.run(mod, "tir.UnrollLoop", config={"tir.UnrollLoop": {"auto_max_step": 16}})
    assert "for i" not in unrolled["main"].script()
    assert relayopt.transform.PassContext.list_configs()["tir.UnrollLoop"]["type"] == "tir.UnrollLoop"
    for wrong in ({"auto_max_steps": 16}, 16):
        with pytest.raises(AttributeError, match="tir.UnrollLoop"):
            relayopt.transform.PassContext(config={"tir.UnrollLoop": wrong})


def test_factories_of_the_table_take_options_by_position_and_by_name():
    mod = relay.parse('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { tanh(nn.relu(%x)) }')
    assert str(relay.transform.FuseOps(2)(mod)) == str(relay.transform.FuseOps(fuse_opt_level=2)(mod))
    with pytest.raises(TypeError, match="FuseOps takes at most 1 arguments, but 2 were given"):
        relay.transform.FuseOps(2, 3)
    with pytest.raises(TypeError, match="FuseOps: fuse_opt_level is given twice"):
        relay.transform.FuseOps(2, fuse_opt_level=2)
    with pytest.raises(TypeError, match=r"SimplifyExpr\(\.\.\.\) makes a pass, which runs on a module"):
        relay.transform.SimplifyExpr(mod)


def test_printing_instruments_show_passes_by_name(capsys):
    mod = relay.parse('#[version = "0.0.5"] def @main() { 1 + 2 }')
    with PassContext(instruments=[relayopt.instrument.PassPrintingInstrument(["FoldConstant"], ["FuseOps"])]):
        relay.transform.FuseOps()(relay.transform.FoldConstant()(mod))
    shown = capsys.readouterr().out
    assert [line for line in shown.split("\n") if line.startswith("Print")] == ["Print IR before: FoldConstant", "Print IR after: FuseOps"]
    assert "add(1" in shown and "3" in shown


def test_calls_and_projections_that_fskip_names_are_left_alone():
    mod = relay.parse('''#[version = "0.0.5"]
    def @main(%x: Tensor[(4), float32]) {
      %0 = split(%x, indices_or_sections=2);
      add(tanh(%0.0), tanh(%0.0))
    }''')

    def count(fskip):
        made = relay.transform.EliminateCommonSubexpr(fskip)(mod)
        return sum(isinstance(node, relay.Call) for node in relay.analysis.walk(made["main"]))

    assert count(None) == 3
    assert count(lambda expr: isinstance(expr, relay.Call) and expr.op.name == "tanh") == 4
    assert count(lambda expr: isinstance(expr, relay.TupleGetItem)) == 4
    with pytest.raises(ZeroDivisionError):
        count(lambda expr: 1 // 0)
