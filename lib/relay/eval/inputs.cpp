// Creates arguments for running a program.
#include "relayopt/relay/eval/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/types/substitution.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

constexpr size_t kMaxBytes = size_t{1} << 30;

// SplitMix64: quick, and the same on every machine.
class Random {
 public:
  Random(uint64_t seed, uint64_t stream) : state_(seed * 0x9e3779b97f4a7c15 + stream * 0xd1342543de82ef95) { Next(); }

  auto Next() -> uint64_t {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // In [-1, 1), exact in float32.
  auto NextFloat() -> double { return static_cast<double>(Next() >> 40) / (1 << 23) - 1.0; }

 private:
  uint64_t state_;
};

// Fills with integers from 0 to 7, or fewer if `dtype` is narrower; it may be narrower than T.
template <typename T>
void FillInts(Tensor& tensor, Random& random, EdgeValues edges) {
  T* to = tensor.mutable_data<T>();
  const DataType dtype = tensor.dtype();
  const int unused = static_cast<int>(8 * sizeof(T)) - dtype.bits;
  // Casts sign-extend from the width of the type.
  const auto narrow = [unused](uint64_t number) {
    return static_cast<T>(static_cast<T>(static_cast<T>(number) << unused) >> unused);
  };
  const T largest = static_cast<T>(std::numeric_limits<T>::max() >> unused);
  const T smallest = static_cast<T>(std::numeric_limits<T>::min() >> unused);
  const T special[] = {0, narrow(1)};
  const T extreme[] = {largest, smallest};
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const uint64_t number = random.Next();
    if (edges == EdgeValues::kNone || number % 4 != 0)
      to[i] = narrow((number >> 16) % 8);
    else
      to[i] = (edges == EdgeValues::kExtreme ? extreme : special)[(number >> 8) % 2];
  }
}

// How floats are distributed.
struct FloatDistribution {
  double centre = 0;
  double radius = 1;
};

// The limits of a float type.
template <typename Limits>
struct FloatLimits {
  Limits denormal;
  Limits smallest;
  Limits largest;
};

template <typename T, typename Limits>
void FillFloats(Tensor& tensor, Random& random, EdgeValues edges, const FloatDistribution& spread,
                const FloatLimits<Limits>& ends) {
  T* to = tensor.mutable_data<T>();
  const Limits infinity = std::numeric_limits<Limits>::infinity();
  const Limits nan = std::numeric_limits<Limits>::quiet_NaN();
  // By EdgeValues.
  const Limits values[][4] = {{},
                              {Limits{0}, -Limits{0}, nan, nan},
                              {infinity, -infinity, infinity, Limits{0}},
                              {ends.denormal, ends.smallest, ends.largest, -ends.largest}};
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double number = spread.centre + spread.radius * random.NextFloat();
    const uint64_t choice = edges == EdgeValues::kNone ? 1 : random.Next();
    if (choice % 4 != 0)
      to[i] = T(static_cast<Limits>(number));
    else
      to[i] = T(values[static_cast<size_t>(edges)][(choice >> 8) % 4]);
  }
}

template <typename T>
auto EndsOf() -> FloatLimits<T> {
  return {std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

// Returns false for types for which no values are created.
auto Fill(Tensor& tensor, Random& random, EdgeValues edges, const FloatDistribution& spread) -> bool {
  const DataType dtype = tensor.dtype();
  if (dtype == DataType::Float(32)) {
    FillFloats<float, float>(tensor, random, edges, spread, EndsOf<float>());
  } else if (dtype == DataType::Float(64)) {
    FillFloats<double, double>(tensor, random, edges, spread, EndsOf<double>());
  } else if (dtype == DataType::Float(16)) {
    FillFloats<Half, float>(tensor, random, edges, spread, {0x1p-24F, 0x1p-14F, 65504.0F});
  } else if (dtype == DataType::BFloat(16)) {
    FillFloats<BFloat, float>(tensor, random, edges, spread, {0x1p-133F, 0x1p-126F, 0x1.fep127F});
  } else if (dtype.lanes != 1 || dtype.is_float() || dtype.code == TypeCode::kHandle) {
    return false;
  } else if (dtype.is_bool()) {
    Bool* to = tensor.mutable_data<Bool>();
    for (int64_t i = 0; i < tensor.size(); ++i) to[i] = random.Next() >> 63 != 0;
  } else {
    const bool is_int = dtype.is_int();
    switch (dtype.bytes()) {
      case 1: is_int ? FillInts<int8_t>(tensor, random, edges) : FillInts<uint8_t>(tensor, random, edges); break;
      case 2: is_int ? FillInts<int16_t>(tensor, random, edges) : FillInts<uint16_t>(tensor, random, edges); break;
      case 4: is_int ? FillInts<int32_t>(tensor, random, edges) : FillInts<uint32_t>(tensor, random, edges); break;
      case 8: is_int ? FillInts<int64_t>(tensor, random, edges) : FillInts<uint64_t>(tensor, random, edges); break;
      default: return false;
    }
  }
  return true;
}

// Sums over the rows of a matrix, of a convolution's filters and so on stay near 1, so that deep networks do not
// overflow.
auto SpreadOf(const Tensor& tensor, const InputOptions& options) -> FloatDistribution {
  if (options.positive) return {1, 0.5};
  constexpr int64_t kShort = 16;
  if (tensor.rank() < 2 || tensor.extent(0) <= 1 || tensor.size() / tensor.extent(0) < kShort) return {};
  return {0, std::sqrt(3.0 * static_cast<double>(tensor.extent(0)) / static_cast<double>(tensor.size()))};
}

auto MakeTensor(const Type& type, const InputOptions& options, Random& random) -> std::optional<Value> {
  auto shape = MapToVector<int64_t>(
      type.shape, [&](const Dim& dim) { return dim.is_int() ? dim.value() : options.unknown_extent; });
  const std::optional<size_t> bytes = TensorBytes(shape, type.dtype);
  if (!bytes || *bytes > kMaxBytes || type.dtype.bytes() == 0) return std::nullopt;
  Tensor tensor(type.dtype, std::move(shape));
  if (!Fill(tensor, random, options.edges, SpreadOf(tensor, options))) return std::nullopt;
  return Value(std::move(tensor));
}

// Returns the function that returns its first argument, if a function of this type is likely to be one: of a
// continuation (ToCPS) the result is a type parameter, which may be any type.
auto Identity(Context& context, const Type& type) -> std::optional<Value> {
  if (type.args.empty() || !type.type_params.empty()) return std::nullopt;
  // A function with a function parameter usually calls it: programs in continuation-passing style rely on that.
  for (const TypeId arg : type.args.subspan(1)) {
    if (context.type(arg).is_function()) return std::nullopt;
  }
  const bool fits = type.result == type.args[0] || context.type(type.result).kind == TypeKind::kVar;
  if (!fits) return std::nullopt;
  auto object = std::make_shared<ValueObject>(ValueKind::kOp);
  // An operator that returns its operand.
  object->op = InternOpInstance(context, {"annotation.stop_fusion"_op, {}});
  return Value(std::move(object));
}

auto MakeNested(Context& context, TypeId id, const InputOptions& options, Random& random, int depth)
    -> std::optional<Value>;

// Returns a constructor of the type applied to values: near the root one that takes values of data types again (a list
// has some elements), below that one that takes none.
auto MakeData(Context& context, const Type& type, const InputOptions& options, Random& random, int depth)
    -> std::optional<Value> {
  constexpr int kNested = 3;
  const TypeDefId id = options.module != nullptr ? options.module->FindTypeDef(type.name) : TypeDefId();
  if (!id) return std::nullopt;
  const TypeDef& def = options.module->type_def(id);
  if (def.params.size() != type.args.size()) return std::nullopt;
  CtorId chosen;
  for (const CtorId ctor : def.constructors) {
    const bool is_nested = std::ranges::any_of(options.module->constructor(ctor).inputs, [&](TypeId input) {
      return context.type(input).kind == TypeKind::kCall;
    });
    if (is_nested == (depth < kNested)) chosen = ctor;
  }
  if (!chosen && depth < kNested && !def.constructors.empty()) chosen = def.constructors.front();
  if (!chosen) return std::nullopt;
  auto object = std::make_shared<ValueObject>(ValueKind::kData);
  object->ctor = chosen;
  const Substitution instance(context, def.params, type.args);
  for (const TypeId input : options.module->constructor(chosen).inputs) {
    auto field = MakeNested(context, instance(input), options, random, depth + 1);
    if (!field) return std::nullopt;
    object->fields.push_back(*std::move(field));
  }
  return Value(std::move(object));
}

// Types nest as deep as the program writes them, which is not deep enough to need an explicit stack; a limit protects
// against hostile input.
auto MakeNested(Context& context, TypeId id, const InputOptions& options, Random& random, int depth)
    -> std::optional<Value> {
  constexpr int kMaxDepth = 100;
  if (!id || depth > kMaxDepth) return std::nullopt;
  const Type& type = context.type(id);
  if (type.is_tensor()) return MakeTensor(type, options, random);
  if (type.is_function()) return Identity(context, type);
  // A type parameter may be instantiated by any type.
  if (type.kind == TypeKind::kVar) {
    return MakeTensor(context.type(context.Tensor(Shape(), DataType::Float(32))), options, random);
  }
  if (type.kind == TypeKind::kCall) return MakeData(context, type, options, random, depth);
  if (type.kind == TypeKind::kRef) {
    auto content = MakeNested(context, type.result, options, random, depth + 1);
    if (!content) return std::nullopt;
    auto object = std::make_shared<ValueObject>(ValueKind::kRef);
    object->fields.push_back(*std::move(content));
    return Value(std::move(object));
  }
  if (type.kind != TypeKind::kTuple) return std::nullopt;
  std::vector<Value> fields;
  for (const TypeId field : type.args) {
    auto value = MakeNested(context, field, options, random, depth + 1);
    if (!value) return std::nullopt;
    fields.push_back(*std::move(value));
  }
  return Value::Tuple(std::move(fields));
}

}  // namespace

auto Misfit(const Context& context, TypeId id, const Tensor& tensor) -> std::optional<std::string> {
  if (!id) return "its type is not known";
  const Type& type = context.type(id);
  const auto fits = [&] {
    if (!type.is_tensor() || type.dtype != tensor.dtype() || type.rank() != tensor.rank()) return false;
    for (size_t i = 0; i < type.rank(); ++i) {
      if (type.shape[i].is_int() && type.shape[i].value() != tensor.extent(i)) return false;
    }
    return true;
  };
  if (fits()) return std::nullopt;
  const bool only_dtype = type.is_tensor() && type.dtype != tensor.dtype() && type.rank() == tensor.rank();
  return fmt::format("the tensor given is {} of shape ({}), the type is {}{}", ToString(tensor.dtype()),
                     fmt::join(tensor.shape(), ", "), TypeName(context, id),
                     only_dtype ? fmt::format("; in NumPy, .astype(\"{}\") converts it", ToString(type.dtype)) : "");
}

auto Misfit(const Context& context, TypeId root, const Value& value) -> std::optional<std::string> {
  std::vector<std::pair<TypeId, const Value*>> work = {{root, &value}};
  while (!work.empty()) {
    const auto [id, each] = work.back();
    work.pop_back();
    if (!id) continue;
    const Type& type = context.type(id);
    if (type.is_tensor()) {
      if (!each->is_tensor())
        return fmt::format("the value given is not a tensor, the type is {}", TypeName(context, id));
      if (auto misfit = Misfit(context, id, each->tensor())) return misfit;
    } else if (type.kind == TypeKind::kTuple) {
      const bool is_tuple = !each->is_tensor() && each->object().kind == ValueKind::kTuple;
      if (!is_tuple || each->object().fields.size() != type.args.size()) {
        return fmt::format("the value given is not a tuple of {} fields, the type is {}", type.args.size(),
                           TypeName(context, id));
      }
      for (size_t i = type.args.size(); i-- > 0;) work.emplace_back(type.args[i], &each->object().fields[i]);
    } else if (each->is_tensor() &&
               (type.is_function() || type.kind == TypeKind::kRef || type.kind == TypeKind::kCall)) {
      return fmt::format("the value given is a tensor, the type is {}", TypeName(context, id));
    }
  }
  return std::nullopt;
}

auto ParameterType(const Function& function, ExprId param) -> TypeId {
  const TypeId inferred = function.type(param);
  return inferred ? inferred : function.var(param).annotation;
}

auto CheckArguments(const Function& function, std::string_view name, std::span<const Value> arguments)
    -> std::optional<Diagnostic> {
  const auto params = function.params();
  if (params.size() != arguments.size()) {
    return MakeDiagnostic(diag::kParameterCount, {}, name, params.size(), arguments.size());
  }
  const Context& context = function.context();
  for (size_t i = 0; i < params.size(); ++i) {
    if (const auto misfit = Misfit(context, ParameterType(function, params[i]), arguments[i])) {
      return MakeDiagnostic(diag::kBadInput, {}, context.text(function.var(params[i]).name), *misfit);
    }
  }
  return std::nullopt;
}

auto MakeValue(Context& context, TypeId type, const InputOptions& options, uint64_t stream) -> std::optional<Value> {
  Random random(options.seed, stream);
  return MakeNested(context, type, options, random, 0);
}

namespace {

// Parameters that are variances, of which roots are taken.
auto FindVariances(const Function& function) -> SideTable<ExprId, bool> {
  constexpr size_t kVariance = 4;
  SideTable<ExprId, bool> is_variance(function.size());
  for (const ExprId id : function.ids()) {
    if (function.kind(id) == ExprKind::kOpCall && function.op(id) == "nn.batch_norm"_op) {
      is_variance[function.operand(id, kVariance)] = true;
    }
  }
  return is_variance;
}

// Positions in a list of extents, by the names of their parameters.
using ExtentsByName = absl::flat_hash_map<std::string_view, std::vector<size_t>>;

auto GroupByName(std::span<const BoundExtent> extents) -> ExtentsByName {
  ExtentsByName by_name;
  for (size_t k = 0; k < extents.size(); ++k) by_name[extents[k].parameter].push_back(k);
  return by_name;
}

// Binds the unknown extents of the type that the options bind (`bound`), then those that they know (`known`); `used`
// records which bindings were used.
auto BindExtents(Context& context, TypeId id, std::string_view name, const InputOptions& options,
                 const ExtentsByName& bound, const ExtentsByName& known, std::vector<bool>& used) -> TypeId {
  const auto bound_here = bound.find(name);
  const auto known_here = known.find(name);
  if (bound_here == bound.end() && known_here == known.end()) return id;
  if (!id || !context.type(id).is_tensor()) return id;
  const Type& type = context.type(id);
  const DataType dtype = type.dtype;
  std::vector<Dim> shape(type.shape.begin(), type.shape.end());
  for (const bool whole : {false, true}) {
    for (const size_t k : bound_here == bound.end() ? std::span<const size_t>() : bound_here->second) {
      const BoundExtent& extent = options.bound_extents[k];
      if (extent.axis.has_value() == whole) continue;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis].is_int() || (extent.axis && *extent.axis != axis)) continue;
        shape[axis] = Dim(extent.extent);
        used[k] = true;
      }
    }
  }
  if (known_here == known.end()) return context.Tensor(shape, dtype);
  for (const size_t k : known_here->second) {
    const BoundExtent& extent = options.known_extents[k];
    if (*extent.axis < shape.size() && !shape[*extent.axis].is_int()) shape[*extent.axis] = Dim(extent.extent);
  }
  return context.Tensor(shape, dtype);
}

}  // namespace

auto ForgottenExtents(std::span<const TypeId> declared, const Function& typed) -> std::vector<BoundExtent> {
  const Context& context = typed.context();
  std::vector<BoundExtent> forgotten;
  const auto params = typed.params();
  for (size_t i = 0; i < std::min(params.size(), declared.size()); ++i) {
    const TypeId found = typed.type(params[i]);
    if (!declared[i] || !found || declared[i] == found) continue;
    const Type& before = context.type(declared[i]);
    const Type& after = context.type(found);
    if (!before.is_tensor() || !after.is_tensor() || before.rank() != after.rank()) continue;
    for (uint32_t axis = 0; axis < before.rank(); ++axis) {
      if (!before.shape[axis].is_int() || after.shape[axis].is_int()) continue;
      const std::string_view name = context.text(typed.var(params[i]).name);
      forgotten.push_back({std::string(name), axis, before.shape[axis].value()});
    }
  }
  return forgotten;
}

namespace {

// Returns the given tensor of each parameter, null when it has none. An error when a tensor belongs to no parameter.
auto ChooseGiven(const Function& function, std::span<const NamedTensor> given)
    -> Result<std::vector<const NamedTensor*>> {
  const auto params = function.params();
  std::vector<const NamedTensor*> chosen(params.size(), nullptr);
  std::vector<bool> used(given.size(), false);
  const auto name_of = [&](size_t i) { return function.context().text(function.var(params[i]).name); };
  // The positions of unused tensors, the first one last.
  absl::flat_hash_map<std::string_view, std::vector<size_t>> by_name;
  for (size_t k = given.size(); k-- > 0;) by_name[given[k].name].push_back(k);
  const auto choose = [&](size_t i, std::string_view name) {
    const auto found = by_name.find(name);
    if (chosen[i] != nullptr || found == by_name.end() || found->second.empty()) return;
    const size_t k = found->second.back();
    found->second.pop_back();
    chosen[i] = &given[k];
    used[k] = true;
  };
  for (size_t i = 0; i < params.size(); ++i) choose(i, name_of(i));
  // A name that does not begin with a letter is printed after a `v`: %v0 is parameter 0 of a model.
  for (size_t i = 0; i < params.size(); ++i) {
    const std::string_view name = name_of(i);
    if (!name.starts_with('v') || (name.size() > 1 && absl::ascii_isalpha(static_cast<unsigned char>(name[1]))))
      continue;
    choose(i, name.substr(1));
  }
  size_t next = 0;
  for (size_t k = 0; k < given.size(); ++k) {
    if (used[k] || !given[k].name.starts_with("arr_")) continue;
    while (next < params.size() && chosen[next] != nullptr) ++next;
    if (next == params.size()) break;
    chosen[next] = &given[k];
    used[k] = true;
  }
  for (size_t k = 0; k < given.size(); ++k) {
    if (!used[k]) return MakeDiagnostic(diag::kBadInput, {}, given[k].name, "the function has no such parameter");
  }
  return chosen;
}

// Returns an error when one of the extents was not bound, because its parameter has no such unknown extent.
auto CheckBound(std::span<const BoundExtent> extents, const std::vector<bool>& bound) -> std::optional<Diagnostic> {
  for (size_t k = 0; k < bound.size(); ++k) {
    if (bound[k]) continue;
    return MakeDiagnostic(diag::kBadInput, {}, extents[k].parameter,
                          extents[k].axis ? fmt::format("axis {} has no unknown extent to bind", *extents[k].axis)
                                          : "there is no unknown extent to bind");
  }
  return std::nullopt;
}

}  // namespace

auto MakeArguments(const Function& function, std::span<const NamedTensor> given, const InputOptions& options)
    -> Result<std::vector<Value>> {
  Context& context = function.context();
  const auto params = function.params();
  RELAYOPT_TRY(const auto chosen, ChooseGiven(function, given));
  const SideTable<ExprId, bool> is_variance = FindVariances(function);
  std::vector<Value> arguments;
  std::vector<bool> used(options.bound_extents.size(), false);
  const ExtentsByName bound = GroupByName(options.bound_extents);
  const ExtentsByName known = GroupByName(options.known_extents);
  InputOptions positive = options;
  positive.positive = true;
  for (size_t i = 0; i < params.size(); ++i) {
    const std::string_view name = context.text(function.var(params[i]).name);
    const InputOptions& inputs = is_variance[params[i]] ? positive : options;
    const TypeId open_type = ParameterType(function, params[i]);
    const TypeId type = BindExtents(context, open_type, name, options, bound, known, used);
    if (chosen[i] != nullptr) {
      const Tensor& tensor = chosen[i]->tensor;
      if (const auto misfit = Misfit(context, type, tensor)) return MakeDiagnostic(diag::kBadInput, {}, name, *misfit);
      arguments.emplace_back(tensor);
    } else if (auto value = MakeValue(context, type, inputs, i)) {
      arguments.push_back(*std::move(value));
    } else {
      return MakeDiagnostic(
          diag::kBadInput, {}, name,
          "no value of this type can be made: only tensors of up to 1 GiB, tuples, references and data types of such");
    }
  }
  if (auto error = CheckBound(options.bound_extents, used)) return *std::move(error);
  return arguments;
}

}  // namespace relayopt
