// FlexibleShapeDispatch: one module for inputs of several extents along an axis.
//
// @main becomes a function for each extent in `buckets`, in which all shapes are known again, and a new @main that
// calls the one for the extent it is given:
//
//   def @main(%x: Tensor[(2, 10)])  ->  def @main_1(%x: Tensor[(1, 10)]), def @main_4(%x: Tensor[(4, 10)])
//                                       def @main(%x: Tensor[(?, 10)]) {
//                                         if (n == 1) @main_1(reshape(%x, [1, 10]))
//                                         else if (n == 4) @main_4(reshape(%x, [4, 10]))
//                                         else @main_4(reshape(%x, [4, 10]))     an error when it runs
//                                       }
//
// where n is the extent of %x. With `auto_pad` the tests are n <= 1 and n <= 4, %x is padded before the reshape, and
// what padding has added is cut off the results.
#include <algorithm>

#include "expr_copier.h"
#include "number_list.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"
#include "tensor_tree.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoMain = {"flexible-shape-main", Severity::kError,
                                    "FlexibleShapeDispatch: the module has no function @main"};
constexpr DiagnosticKind kBadInput = {
    "flexible-shape-input", Severity::kError,
    "FlexibleShapeDispatch: @main has no parameter {} that is a tensor with an axis {}"};
constexpr DiagnosticKind kOpenExtent = {
    "flexible-shape-extent", Severity::kError,
    "FlexibleShapeDispatch: parameter {} is {}; all extents but that of axis {} have to be known"};

// Returns the numbers of a list if none is negative.
auto ParseCounts(const JsonText& list) -> std::optional<std::vector<int64_t>> {
  auto numbers = ParseNumbers(list);
  if (numbers && std::ranges::any_of(*numbers, [](int64_t number) { return number < 0; })) return std::nullopt;
  return numbers;
}

auto CheckCounts(const OptionValue& value) -> std::optional<OptionFault> {
  const auto& list = std::get<JsonText>(value);
  const auto numbers = ParseCounts(list);
  if (numbers && !numbers->empty()) return std::nullopt;
  return OptionFault{"a list of numbers from 0 on", list.text};
}

struct FlexibleShapeOptions {
  JsonText buckets;
  int64_t axis = 0;
  bool auto_pad = false;
  double pad_value = 0;
  JsonText input_indices = {"[0]"};
  bool affects_output = true;
  static constexpr auto Fields() {
    using Self = FlexibleShapeOptions;
    return std::array{
        RequiredOption<&Self::buckets>("the extents that get a function", {.check = CheckCounts}),
        Option<&Self::axis>("the axis of the inputs that has the extent"),
        Option<&Self::auto_pad>("whether inputs are padded up to the next bucket"),
        Option<&Self::pad_value>("the value of padding"),
        Option<&Self::input_indices>("the parameters that have the extent, from 0", {.check = CheckCounts}),
        Option<&Self::affects_output>("whether the results have the extent, too"),
    };
  }
};

class Dispatcher {
 public:
  Dispatcher(Module& module, GlobalId main, const FlexibleShapeOptions& options)
      : module_(module),
        main_(main),
        from_(*module.function<Function>(main)),
        options_(options),
        buckets_(ParseCounts(options.buckets).value()),
        inputs_(ParseCounts(options.input_indices).value()) {
    std::ranges::sort(buckets_);
    buckets_.erase(std::ranges::unique(buckets_).begin(), buckets_.end());
  }

  auto Run() -> std::optional<Diagnostic> {
    if (auto error = FindAxis()) return error;
    const auto functions = MapToVector<GlobalId>(buckets_, [&](int64_t bucket) { return Specialize(bucket); });
    module_.SetFunction(main_, std::make_shared<const Function>(Dispatch(functions)));
    return std::nullopt;
  }

 private:
  auto context() const -> Context& { return from_.context(); }
  auto IsInput(size_t param) const -> bool { return std::ranges::count(inputs_, static_cast<int64_t>(param)) != 0; }
  auto TypeOf(size_t param) const -> TypeId { return from_.type(from_.params(from_.root())[param]); }

  // Checks the inputs, and normalizes the axis.
  auto FindAxis() -> std::optional<Diagnostic> {
    axis_ = options_.axis;
    for (const int64_t index : inputs_) {
      const auto input = static_cast<size_t>(index);
      const bool exists = input < from_.params(from_.root()).size() && TypeOf(input);
      const Type* const type = exists ? &context().type(TypeOf(input)) : nullptr;
      const auto rank = type != nullptr && type->is_tensor() ? static_cast<int64_t>(type->shape.size()) : 0;
      if (options_.axis < -rank || options_.axis >= rank) return MakeDiagnostic(kBadInput, {}, input, options_.axis);
      axis_ = options_.axis < 0 ? options_.axis + rank : options_.axis;
      for (int64_t i = 0; i < rank; ++i) {
        if (i == axis_ || type->shape[static_cast<size_t>(i)].is_int()) continue;
        return MakeDiagnostic(kOpenExtent, {}, input, TypeName(context(), TypeOf(input)), axis_);
      }
    }
    return std::nullopt;
  }

  // Returns the type with a new extent in each tensor that has the axis.
  auto WithExtent(TypeId type, Dim extent) const -> TypeId {
    const auto changed = MapTensors<TypeId, TypeId>(
        context(), type, type, [&](TypeId tuple, uint32_t i) { return context().type(tuple).args[i]; },
        [&](TypeId leaf, TypeId) -> std::optional<TypeId> {
          if (!leaf || !context().type(leaf).is_tensor()) return leaf;
          std::vector<Dim> shape(context().type(leaf).shape.begin(), context().type(leaf).shape.end());
          if (static_cast<size_t>(axis_) < shape.size()) shape[static_cast<size_t>(axis_)] = extent;
          return context().Tensor(shape, context().type(leaf).dtype);
        },
        [&](const std::vector<TypeId>& fields) { return context().Tuple(fields); });
    return changed.value_or(type);
  }

  auto MakeParams(FunctionBuilder& to, Dim extent) const -> std::vector<ExprId> {
    std::vector<ExprId> params;
    for (const ExprId param : from_.params(from_.root())) {
      VarInfo info = from_.var(param);
      info.annotation = IsInput(params.size()) ? WithExtent(from_.type(param), extent) : from_.type(param);
      params.push_back(to.Var(info));
      to.SetType(params.back(), info.annotation);
    }
    return params;
  }

  auto InfoWith(Dim extent) const -> FunctionInfo {
    FunctionInfo info = from_.info(from_.root());
    if (options_.affects_output) info.result = WithExtent(ResultType(), extent);
    return info;
  }
  auto ResultType() const -> TypeId { return from_.type(from_.body(from_.root())); }

  // Adds @main_BUCKET, whose types are inferred later.
  auto Specialize(int64_t bucket) -> GlobalId {
    FunctionBuilder to(context());
    ExprCopier copier(from_, to);
    const std::vector<ExprId> params = MakeParams(to, bucket);
    for (size_t i = 0; i < params.size(); ++i) copier.Set(from_.params(from_.root())[i], params[i]);
    const ExprId body = copier.Copy(from_.body(from_.root()));
    const GlobalId id = module_.NameGlobal("main_" + std::to_string(bucket));
    module_.SetFunction(id, std::make_shared<const Function>(to.Finish(to.Lambda(InfoWith(bucket), params, body))));
    return id;
  }

  auto Dispatch(const std::vector<GlobalId>& functions) -> Function {
    FunctionBuilder to(context());
    const std::vector<ExprId> params = MakeParams(to, Dim::Any());
    const ExprId shape = EmitCallWith(to, "shape_of"_op, ShapeOfAttrs{.dtype = DataType::Int(32)},
                                      {params[static_cast<size_t>(inputs_.front())]});
    const ExprId extent = EmitCall(to, "take"_op, {shape, EmitScalar(to, DataType::Int(32), axis_)});
    const OpDef* const test = options_.auto_pad ? "less_equal"_op : "equal"_op;
    // Data that fits in no bucket goes unchanged to the largest one, where the reshape fails.
    ExprId body = CallOf(to, functions.back(), buckets_.back(), params, extent, false);
    for (size_t i = buckets_.size(); i-- != 0;) {
      const ExprId fits = EmitCall(to, test, {extent, EmitScalar(to, DataType::Int(32), buckets_[i])});
      body = to.If(fits, CallOf(to, functions[i], buckets_[i], params, extent, options_.auto_pad), body);
    }
    return to.Finish(to.Lambda(InfoWith(Dim::Any()), params, body));
  }

  auto CallOf(FunctionBuilder& to, GlobalId function, int64_t bucket, std::vector<ExprId> args, ExprId extent,
              bool pads) const -> ExprId {
    for (const int64_t index : inputs_) {
      const auto input = static_cast<size_t>(index);
      const Type& type = context().type(WithExtent(TypeOf(input), bucket));
      if (pads) args[input] = Pad(to, args[input], type, bucket, extent);
      args[input] = EmitCallWith(
          to, "reshape"_op, ReshapeAttrs{.newshape = DimList(std::vector<Dim>(type.shape.begin(), type.shape.end()))},
          {args[input]});
    }
    const ExprId call = to.Call(to.Global(function), args);
    if (!options_.affects_output) return call;
    const TypeId result = WithExtent(ResultType(), bucket);
    to.SetType(call, result);
    // Cuts off what padding has added; so the extent is open in all branches.
    const ExprId rows = EmitCallWith(
        to, "arange"_op, ArangeAttrs{.dtype = DataType::Int(32)},
        {EmitScalar(to, DataType::Int(32), int64_t{0}), extent, EmitScalar(to, DataType::Int(32), int64_t{1})});
    return *MapTensors<ExprId, ExprId>(
        context(), result, call, [&](ExprId tuple, uint32_t i) { return EmitTupleGetItem(to, tuple, i); },
        [&](TypeId, ExprId tensor) {
          return std::optional(EmitCallWith(to, "take"_op, TakeAttrs{.axis = axis_}, {tensor, rows}));
        },
        [&](const std::vector<ExprId>& fields) { return EmitTuple(to, fields); });
  }

  // Pads at the end of the axis: all widths are zero except one, which is bucket - extent.
  auto Pad(FunctionBuilder& to, ExprId data, const Type& type, int64_t bucket, ExprId extent) const -> ExprId {
    const auto int32 = DataType::Int(32);
    const auto rank = static_cast<int64_t>(type.shape.size());
    std::vector<std::byte> bytes(static_cast<size_t>(rank) * 2 * sizeof(int32_t));
    bytes[(static_cast<size_t>(axis_) * 2 + 1) * sizeof(int32_t)] = std::byte{1};
    const ExprId unit = to.Constant(context().AddConstant(Constant(int32, {rank, 2}, std::move(bytes))));
    to.SetType(unit, context().Tensor({rank, 2}, int32));
    const ExprId missing = EmitCall(to, "subtract"_op, {EmitScalar(to, int32, bucket), extent});
    const ExprId widths = EmitCall(to, "multiply"_op, {unit, missing});
    return EmitCallWith(to, "dyn.nn.pad"_op, PadAttrs{},
                        {data, widths, EmitScalar(to, type.dtype, options_.pad_value)});
  }

  Module& module_;
  GlobalId main_;
  const Function from_;
  const FlexibleShapeOptions& options_;
  std::vector<int64_t> buckets_;
  std::vector<int64_t> inputs_;
  int64_t axis_ = 0;
};

struct FlexibleShapeDispatch {
  using Options = FlexibleShapeOptions;
  Options options;

  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    Module result = module;
    const GlobalId main = result.FindGlobal("main");
    if (!main || result.function<Function>(main) == nullptr) return MakeDiagnostic(kNoMain, {});
    if (auto error = Dispatcher(result, main, options).Run()) return *std::move(error);
    if (!InferTypes(result, context.diagnostics()))
      return MakeDiagnostic(diag::kPassFailed, {}, "FlexibleShapeDispatch");
    return result;
  }
};

}  // namespace

constinit const PassDef kFlexibleShapeDispatchPass = DescribePass<FlexibleShapeDispatch>({
    .name = "FlexibleShapeDispatch",
    .opt_level = 0,
    .required = "InferType",
    .summary = "makes @main take inputs of several extents along an axis",
    .details =
        R"(For each extent in `buckets` there is a function @main_EXTENT with known shapes; @main calls the one for
the extent of its input, such as the size of a batch:

  FlexibleShapeDispatch<buckets=[1,4]>

  def @main(%x: Tensor[(?, 10), float32]) {
    if (equal(take(shape_of(%x), 0), 1)) @main_1(reshape(%x, newshape=[1, 10])) else ...

With auto_pad, inputs between two buckets are padded with pad_value up to the larger one, and results are cut to the extent of
the input; without it the extent has to be one of the buckets. input_indices are the parameters that have the extent,
affects_output says whether the results have it, too. An input that fits no bucket is an error when the module runs.)",
    .idempotent = false,
});

}  // namespace relayopt
