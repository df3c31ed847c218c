// Computes TVM's structural hash.
#include "structural_hash.h"

#include <algorithm>
#include <bit>

#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// Returns the hash that TVM's type keys get: std::hash of a string, as libstdc++ on 64-bit machines computes
// it, which is MurmurHash64A of Austin Appleby (public domain) with the seed below. It is written out because the
// numbers are printed, so that they must not depend on the library that relayopt is built with.
auto HashKey(std::string_view text) -> uint64_t {
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995U;
  constexpr uint64_t kSeed = 0xc70f6907U;
  const auto mix = [](uint64_t value) { return value ^ (value >> 47); };
  // The eight bytes at `at`, or those that remain, in little-endian order.
  const auto word = [&](size_t at) {
    uint64_t bytes = 0;
    for (size_t k = std::min(text.size(), at + 8); k-- > at;) bytes = bytes << 8 | static_cast<unsigned char>(text[k]);
    return bytes;
  };
  uint64_t hash = kSeed ^ (text.size() * kMultiplier);
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) hash = (hash ^ (mix(word(at) * kMultiplier) * kMultiplier)) * kMultiplier;
  if (at < text.size()) hash = (hash ^ word(at)) * kMultiplier;
  return mix(mix(hash) * kMultiplier);
}

// How TVM mixes a value into a hash, with the fractional part of the golden ratio in 32 bits: the combination
// that Boost made common.
auto Combine(uint64_t hash, uint64_t value) -> uint64_t {
  return hash ^ (value + 0x9e3779b9 + (hash << 6) + (hash >> 2));
}

// Returns an object of this class with these fields: the last field goes first.
auto Node(std::string_view type_key, std::span<const uint64_t> fields) -> uint64_t {
  uint64_t hash = HashKey(type_key);
  for (size_t i = fields.size(); i-- > 0;) hash = Combine(hash, fields[i]);
  return hash;
}
auto Node(std::string_view type_key, std::initializer_list<uint64_t> fields) -> uint64_t {
  return Node(type_key, std::span(fields.begin(), fields.size()));
}

// Returns an array of `size` items.
template <typename Item>
auto Array(size_t size, Item&& item) -> uint64_t {
  uint64_t hash = HashKey("Array");
  for (size_t i = size; i-- > 0;) hash = Combine(hash, item(i));
  return Combine(hash, size);
}

// As TVM: its hash of bytes, which is the same on every machine, is a polynomial over words of eight bytes, with the
// prime of the 64-bit FNV hash for the variable, modulo the prime 2^31 - 1.
auto HashBytes(std::span<const std::byte> bytes) -> uint64_t {
  uint64_t hash = 0;
  for (size_t i = 0; i < bytes.size(); i += 8) {
    uint64_t word = 0;
    for (size_t k = std::min(bytes.size(), i + 8); k-- > i;) word = word << 8 | std::to_integer<uint64_t>(bytes[k]);
    hash = (hash * 1099511628211U + word) % 2147483647U;
  }
  return hash;
}

auto String(std::string_view text) -> uint64_t {
  return Node("runtime.String", {HashBytes(std::as_bytes(std::span(text.data(), text.size())))});
}

auto OfDataType(DataType type) -> uint64_t {
  return static_cast<uint64_t>(type.code) | uint64_t{type.bits} << 8 | uint64_t{type.lanes} << 16;
}

auto Integer(DataType type, int64_t value) -> uint64_t {
  return Node("IntImm", {OfDataType(type), static_cast<uint64_t>(value)});
}

auto OfDim(const Dim& dim) -> uint64_t {
  if (dim.is_int()) return Integer(DataType::Int(dim.bits()), dim.value());
  return dim.is_any() ? Node("tir.Any", {}) : 0;
}

auto OfDims(std::span<const Dim> dims) -> uint64_t {
  return Array(dims.size(), [&](size_t i) { return OfDim(dims[i]); });
}

auto OfDimList(const DimList& list) -> uint64_t { return list.null ? 0 : OfDims(list.values); }

auto OfDimLists(const DimLists& lists) -> uint64_t {
  if (lists.null) return 0;
  return Array(lists.values.size(), [&](size_t i) { return OfDimList(lists.values[i]); });
}

auto OfField(const FieldInfo& field, const void* record) -> uint64_t {
  switch (field.kind) {
    // As TVM: integers have 32 bits here.
    case FieldKind::kInt: return static_cast<uint32_t>(field.Get<int64_t>(record));
    case FieldKind::kBool: return field.Get<bool>(record) ? 1 : 0;
    case FieldKind::kDouble: return std::bit_cast<uint64_t>(field.Get<double>(record));
    case FieldKind::kString: return String(field.Get<std::string>(record));
    case FieldKind::kDataType: return OfDataType(field.Get<DataType>(record));
    case FieldKind::kDim: return OfDim(field.Get<Dim>(record));
    case FieldKind::kDimList: return OfDimList(field.Get<DimList>(record));
    case FieldKind::kDimLists: return OfDimLists(field.Get<DimLists>(record));
    case FieldKind::kObject: return 0;
  }
  return 0;
}

}  // namespace

auto StructuralHash::Count(uint64_t hash) -> uint64_t { return Combine(hash, next_node_++); }

auto StructuralHash::ValueOf(ExprId id) const -> uint64_t {
  const auto value = values_.find(id);
  return value == values_.end() ? 0 : value->second;
}

auto StructuralHash::OfList(std::span<const ExprId> ids) const -> uint64_t {
  return Array(ids.size(), [&](size_t i) { return ValueOf(ids[i]); });
}

void StructuralHash::Add(ExprId id) {
  const auto operands = function_.operands(id);
  const auto value = [&](size_t i) { return ValueOf(operands[i]); };
  switch (function_.kind(id)) {
    case ExprKind::kVar: Set(id, OfVar(id)); return;
    // Hashed by number, where TVM hashes an address.
    case ExprKind::kGlobal: Set(id, Node("GlobalVar", {function_.global(id).value()})); return;
    case ExprKind::kConstructor: Set(id, Node("relay.Constructor", {function_.constructor(id).value()})); return;
    case ExprKind::kOp: Set(id, Node("Op", {String(function_.op(id)->name)})); return;
    case ExprKind::kConstant: Set(id, OfConstant(function_.constant(id))); return;
    case ExprKind::kTuple: {
      const uint64_t tuple = Node("relay.Tuple", {OfList(operands)});
      Set(id, operands.empty() ? Node("relay.Tuple", {}) : Count(tuple));
      return;
    }
    case ExprKind::kTupleGetItem: Set(id, Node("relay.TupleGetItem", {value(0), function_.index(id)})); return;
    case ExprKind::kOpCall:
    case ExprKind::kCall: Set(id, OfCall(id)); return;
    case ExprKind::kFunction: Set(id, OfLiteral(id)); return;
    case ExprKind::kLet: Set(id, OfLet(id)); return;
    case ExprKind::kIf: Set(id, Count(Node("relay.If", {value(0), value(1), value(2)}))); return;
    case ExprKind::kMatch: Set(id, Count(Node("relay.Match", {OfList(operands)}))); return;
    case ExprKind::kRefCreate: Set(id, Count(Node("relay.RefCreate", {value(0)}))); return;
    case ExprKind::kRefRead: Set(id, Count(Node("relay.RefRead", {value(0)}))); return;
    case ExprKind::kRefWrite: Set(id, Count(Node("relay.RefWrite", {value(0), value(1)}))); return;
  }
}

auto StructuralHash::OfVar(ExprId var) -> uint64_t {
  const bool is_bound = bound_.contains(var);
  const VarInfo& info = function_.var(var);
  const uint64_t type = OfType(info.annotation, is_bound);
  // A free variable is hashed by its name and position, where TVM takes an address.
  const uint64_t identity = is_bound ? next_var_++ : Combine(String(context().text(info.name)), var.value());
  return Count(Node("relay.Var", {type, Node("relay.Id", {identity})}));
}

auto StructuralHash::OfConstant(const Constant& constant) const -> uint64_t {
  std::vector<uint64_t> fields = {OfDataType(constant.dtype()), constant.shape().size()};
  for (const int64_t extent : constant.shape()) fields.push_back(static_cast<uint64_t>(extent));
  const ElementBytes elements = constant.Elements();
  fields.push_back(HashBytes({elements.data(), elements.size()}));
  return Node("relay.Constant", {Node("runtime.NDArray", fields)});
}

auto StructuralHash::OfCall(ExprId id) -> uint64_t {
  const auto operands = function_.operands(id);
  if (function_.kind(id) == ExprKind::kOpCall) {
    const auto [entry, is_new] = operators_.try_emplace(function_.op_instance(id));
    if (is_new) entry->second = {Node("Op", {String(function_.op(id)->name)}), OfAttrs(function_.attrs(id))};
    return Count(Node("relay.Call", {entry->second.op, OfList(operands), entry->second.attrs}));
  }
  return Count(Node("relay.Call", {ValueOf(operands[0]), OfList(operands.subspan(1)), OfAttrs(function_.attrs(id))}));
}

// One node for each step, the innermost first.
auto StructuralHash::OfLet(ExprId id) -> uint64_t {
  uint64_t body = ValueOf(function_.let_result(id));
  for (size_t i = function_.let_size(id); i-- > 0;) {
    body = Count(Node("relay.Let", {ValueOf(function_.let_var(id, i)), ValueOf(function_.let_value(id, i)), body}));
  }
  return body;
}

auto StructuralHash::OfLiteral(ExprId literal) -> uint64_t {
  const FunctionInfo& info = function_.info(literal);
  // In this order: type variables are numbered as they come.
  const auto type_params = MapToVector<uint64_t>(info.type_params, [&](TypeId type) { return OfType(type, true); });
  const uint64_t all_type_params = Array(type_params.size(), [&](size_t i) { return type_params[i]; });
  const uint64_t params = OfList(function_.params(literal));
  const uint64_t result = OfType(info.result, false);
  return Count(Node("relay.Function",
                    {params, all_type_params, result, OfFunctionAttrs(info.attrs), ValueOf(function_.body(literal))}));
}

auto StructuralHash::OfType(TypeId type, bool defines) -> uint64_t {
  if (!type) return 0;
  if (const auto known = types_.find(type); known != types_.end()) return known->second;
  std::vector<TypeId> pending = {type};
  while (!pending.empty()) {
    const TypeId next = pending.back();
    const Type& term = context().type(next);
    bool ready = true;
    const auto need = [&](TypeId part) {
      if (!part || types_.contains(part)) return;
      pending.push_back(part);
      ready = false;
    };
    if (!types_.contains(next)) {
      if (term.result) need(term.result);
      for (size_t i = term.args.size(); i-- > 0;) need(term.args[i]);
      for (size_t i = term.type_params.size(); i-- > 0;) need(term.type_params[i]);
    }
    if (!ready) continue;
    pending.pop_back();
    if (types_.contains(next)) continue;
    if (term.kind == TypeKind::kVar) {
      const uint64_t identity = defines ? next_var_++ : String(context().text(term.name));
      types_[next] = Node("relay.TypeVar", {0, identity});
    } else {
      types_[next] = OfTypeTerm(term);
    }
  }
  return types_[type];
}

auto StructuralHash::OfTypeTerm(const Type& term) const -> uint64_t {
  const auto list = [&](std::span<const TypeId> types) {
    return Array(types.size(), [&](size_t i) { return types_.at(types[i]); });
  };
  const uint64_t result = term.result ? types_.at(term.result) : 0;
  switch (term.kind) {
    case TypeKind::kTensor: return Node("relay.TensorType", {OfDims(term.shape), OfDataType(term.dtype)});
    case TypeKind::kTuple: return Node("relay.TupleType", {list(term.args)});
    case TypeKind::kFunction:
      return Node("relay.FuncType", {list(term.type_params), list(term.args), result, list({})});
    case TypeKind::kCall: return Node("relay.TypeCall", {String(context().text(term.name)), list(term.args)});
    case TypeKind::kRef: return Node("relay.RefType", {result});
    default: return 0;
  }
}

auto StructuralHash::OfAttrs(AttrsId attrs) const -> uint64_t {
  if (!attrs) return 0;
  const AttrsRecord& record = context().attrs(attrs);
  if (record.schema == nullptr) return 0;
  const auto fields =
      MapToVector<uint64_t>(record.schema->fields, [&](const FieldInfo& field) { return OfField(field, record.data); });
  return Node(record.schema->type_key, fields);
}

auto StructuralHash::OfFunctionAttrs(const std::vector<FunctionAttr>& attrs) const -> uint64_t {
  if (attrs.empty()) return 0;
  std::vector<FunctionAttr> sorted = attrs;
  std::ranges::sort(sorted, {}, [&](const FunctionAttr& attr) { return context().text(attr.key); });
  std::vector<uint64_t> fields = {sorted.size()};
  for (const FunctionAttr& attr : sorted) {
    fields.push_back(String(context().text(attr.key)));
    const Object* value = attr.value ? &context().object(attr.value) : nullptr;
    if (value != nullptr && value->kind == ObjectKind::kInt)
      fields.push_back(Integer(value->dtype, value->integer));
    else if (value != nullptr && value->kind == ObjectKind::kString)
      fields.push_back(String(context().text(value->text)));
    else
      fields.push_back(0);
  }
  return Node("DictAttrs", {Node("Map", fields)});
}

}  // namespace relayopt
