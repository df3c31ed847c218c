// Binds arguments.
#include "lib/tir/transforms/utils/arg_binder.h"

#include <fmt/core.h>

#include <algorithm>

#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/tir/script/script.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kUnmet{"bind-unmet", Severity::kError, "the argument {} can never satisfy {}"};

// Types that callers may store in elements of other types: neither type nor extents are checked.
auto IsSubByte(DataType type) -> bool {
  return type == DataType::Int(1) || type == DataType::Int(4) || type == DataType::UInt(4);
}

}  // namespace

auto StructGet(Terms& terms, DataType type, PrimExpr structs, PrimExpr index, StructField field) -> PrimExpr {
  return terms.Call(type, terms.Intrinsic("tir.tvm_struct_get"_intrin),
                    {structs, index, terms.Int32(static_cast<int>(field))});
}

auto VectorBytes(DataType type) -> int64_t { return std::max<int64_t>(1, int64_t{type.bits} * type.lanes / 8); }

auto Wrap(StmtBuilder& builder, const Nest& nest, StmtId body) -> StmtId {
  for (size_t i = nest.heads_.size(); i-- > 0;) {
    const Nest::Head& head = nest.heads_[i];
    switch (head.kind) {
      case Nest::Kind::kLet: body = builder.Let(head.var, head.value, body); break;
      case Nest::Kind::kAttr: body = builder.Attr(head.node, head.key, head.value, body); break;
      case Nest::Kind::kDeclare: body = builder.DeclBuffer(head.buffer, body); break;
      case Nest::Kind::kAssert: body = builder.Assert(head.value, head.message, body); break;
      case Nest::Kind::kAssertIf: {
        const StmtId check = builder.Assert(head.value, head.message, builder.NoOp());
        body = builder.Seq({builder.If(head.var, check), body});
        break;
      }
    }
  }
  return body;
}

ArgBinder::ArgBinder(StmtBuilder& builder)
    : context_(builder.context()), terms_(builder.terms()), tables_(builder.tables()), analyzer_(builder.terms()) {}

auto ArgBinder::Bind(PrimExpr arg, PrimExpr value, std::string_view name) -> Result<bool> {
  if (terms_.is_var(arg) && bound_.insert(arg).second) {
    definitions_.Let(arg, value);
    return true;
  }
  if (auto fault = Assert(arith::Eq(terms_, arg, value), name)) return *std::move(fault);
  return false;
}

auto ArgBinder::Assert(PrimExpr condition, std::string_view name) -> std::optional<Diagnostic> {
  const PrimExpr simple = analyzer_.Simplify(condition);
  if (terms_.IsInt(simple, 0)) return MakeDiagnostic(kUnmet, {}, name, PrintExpr(context_, condition));
  if (terms_.IsInt(simple, 1)) return std::nullopt;
  const std::string message =
      fmt::format("Argument {} has an unsatisfied constraint: {}", name, PrintExpr(context_, condition));
  asserts_.Assert(simple, terms_.StringImm(message));
  return std::nullopt;
}

auto ArgBinder::BindDLTensor(BufferId id, PrimExpr device_type, PrimExpr device_id, PrimExpr handle,
                             const std::string& name) -> std::optional<Diagnostic> {
  const Buffer buffer = tables_.buffer(id);
  const auto rank = static_cast<int64_t>(buffer.ndim());
  const PrimExpr rank_is = arith::Eq(terms_, terms_.Int32(rank), Get(DataType::Int(32), handle, StructField::kNdim));
  const PrimExpr rank_text = terms_.StringImm(fmt::format("{}.ndim is expected to equal {}", name, rank));
  // As TVM: this is checked twice.
  asserts_.Assert(rank_is, rank_text);
  asserts_.Assert(rank_is, rank_text);
  if (!IsSubByte(buffer.dtype)) {
    const auto is = [&](int bits, StructField field, int64_t value) {
      const DataType type = DataType::UInt(bits);
      return arith::Eq(terms_, Get(type, handle, field), terms_.IntImm(type, value));
    };
    PrimExpr type_is = is(8, StructField::kTypeCode, static_cast<int>(buffer.dtype.code));
    type_is = arith::And(terms_, type_is, is(8, StructField::kTypeBits, buffer.dtype.bits));
    type_is = arith::And(terms_, type_is, is(16, StructField::kTypeLanes, buffer.dtype.lanes));
    asserts_.Assert(type_is,
                    terms_.StringImm(fmt::format("{}.dtype is expected to be {}", name, ToString(buffer.dtype))));
  }
  const Result<bool> data = Bind(buffer.data, Get(arith::kHandleType, handle, StructField::kData), name + ".data");
  if (!data) return data.error();
  if (*data) {
    definitions_.Attr(buffer.data, context_.Intern("storage_alignment"), terms_.Int32(buffer.data_alignment));
  }
  if (auto fault = BindShape(buffer, handle, name)) return fault;
  if (auto fault = BindStrides(buffer, handle, name)) return fault;
  if (auto fault = BindOffset(buffer, handle, name)) return fault;
  for (const auto& [what, field, value] : {std::tuple(".device_type", StructField::kDeviceType, device_type),
                                           std::tuple(".device_id", StructField::kDeviceId, device_id)}) {
    if (const Result<bool> bound = Bind(value, Get(DataType::Int(32), handle, field), name + what); !bound) {
      return bound.error();
    }
  }
  return std::nullopt;
}

auto ArgBinder::BindShape(const Buffer& buffer, PrimExpr handle, const std::string& name) -> std::optional<Diagnostic> {
  shape_ = FieldBuffer(handle, StructField::kShape, buffer.ndim(), name + ".shape");
  for (size_t k = 0; k < buffer.ndim(); ++k) {
    const PrimExpr extent = buffer.shape[k];
    // A variable must be defined, even when nothing is checked.
    if (IsSubByte(buffer.dtype) && (!terms_.is_var(extent) || IsBound(extent))) continue;
    const PrimExpr passed = Element(shape_, k, terms_.dtype(extent));
    if (const Result<bool> bound = Bind(extent, passed, fmt::format("{}.shape[{}]", name, k)); !bound) {
      return bound.error();
    }
  }
  return std::nullopt;
}

auto ArgBinder::BindStrides(const Buffer& buffer, PrimExpr handle, const std::string& name)
    -> std::optional<Diagnostic> {
  const BufferId strides = FieldBuffer(handle, StructField::kStrides, buffer.strides.size(), name + ".strides");
  strides_ = strides;
  const PrimExpr is_null =
      terms_.Call(DataType::Bool(), terms_.Intrinsic("tir.isnullptr"_intrin), {tables_.buffer(strides).data});
  if (buffer.strides.empty()) {
    AssertCompact(buffer, is_null, name);
    return std::nullopt;
  }
  const bool broadcast = buffer.type == BufferType::kAutoBroadcast;
  const DataType type = buffer.shape.empty() ? DataType::Int(32) : terms_.dtype(buffer.shape[0]);
  // The stride of a compact tensor.
  PrimExpr compact = broadcast ? terms_.IntImm(type, 1) : terms_.Int32(1);
  for (size_t k = buffer.strides.size(); k-- > 0;) {
    const DataType extent_type = terms_.dtype(buffer.shape[k]);
    PrimExpr value = arith::IfThenElse(terms_, is_null, compact, Element(strides, k, extent_type));
    if (broadcast) {
      const PrimExpr is_one = arith::Eq(terms_, buffer.shape[k], terms_.IntImm(extent_type, 1));
      value = arith::IfThenElse(terms_, is_one, terms_.Int32(0), value);
      compact = analyzer_.Simplify(arith::Mul(terms_, compact, buffer.shape[k]));
    } else {
      compact = arith::Mul(terms_, compact, Element(shape_, k, extent_type));
    }
    if (const Result<bool> bound = Bind(buffer.strides[k], value, fmt::format("{}.strides[{}]", name, k)); !bound) {
      return bound.error();
    }
  }
  return std::nullopt;
}

void ArgBinder::AssertCompact(const Buffer& buffer, PrimExpr is_null, const std::string& name) {
  if (buffer.shape.empty()) return;
  const DataType type = terms_.dtype(buffer.shape[0]);
  PrimExpr all = terms_.Bool(true);
  PrimExpr expected = terms_.IntImm(type, 1);
  for (size_t k = buffer.ndim(); k-- > 0;) {
    const PrimExpr extent = buffer.shape[k];
    const PrimExpr is_one = arith::Eq(terms_, extent, terms_.IntImm(terms_.dtype(extent), 1));
    const PrimExpr is_expected = arith::Eq(terms_, expected, Element(strides_, k, type));
    all = arith::And(terms_, all, arith::Or(terms_, is_one, is_expected));
    expected = arith::Mul(terms_, expected, extent);
  }
  asserts_.AssertIf(terms_.Not(is_null), all,
                    terms_.StringImm(fmt::format("{}.strides: expected to be compact array", name)));
}

auto ArgBinder::BindOffset(const Buffer& buffer, PrimExpr handle, const std::string& name)
    -> std::optional<Diagnostic> {
  const DataType u64 = DataType::UInt(64);
  const int64_t bytes = VectorBytes(buffer.dtype);
  const PrimExpr passed = Get(u64, handle, StructField::kByteOffset);
  if (const auto literal = terms_.AsInt(buffer.elem_offset)) {
    const Result<bool> bound = Bind(terms_.IntImm(u64, *literal * bytes), passed, name + ".byte_offset");
    return bound ? std::nullopt : std::optional(bound.error());
  }
  const DataType type = terms_.dtype(buffer.elem_offset);
  const PrimExpr elements = arith::CastTo(terms_, type, arith::TruncDiv(terms_, passed, terms_.IntImm(u64, bytes)));
  const Result<bool> bound = Bind(buffer.elem_offset, elements, name + ".elem_offset");
  if (!bound) return bound.error();
  if (!*bound || buffer.offset_factor <= 1) return std::nullopt;
  const PrimExpr rest = arith::TruncMod(terms_, buffer.elem_offset, terms_.IntImm(type, buffer.offset_factor));
  return Assert(arith::Eq(terms_, rest, terms_.IntImm(type, 0)), name + ".elem_offset");
}

auto ArgBinder::FieldBuffer(PrimExpr handle, StructField field, size_t extent, const std::string& name) -> BufferId {
  const PrimExpr data = terms_.Var(name, VarType::Pointer(DataType::Int(64)));
  const BufferId buffer = tables_.Add(Buffer{.data = data,
                                             .dtype = DataType::Int(64),
                                             .name = context_.Intern(name),
                                             .shape = {terms_.Int32(static_cast<int64_t>(extent))}});
  definitions_.Let(data, Get(arith::kHandleType, handle, field));
  definitions_.Declare(buffer);
  return buffer;
}

auto ArgBinder::Element(BufferId buffer, size_t i, DataType type) -> PrimExpr {
  const PrimExpr index = terms_.Int32(static_cast<int64_t>(i));
  return arith::CastTo(terms_, type, terms_.BufferLoad(buffer, {&index, 1}, DataType::Int(64)));
}

auto ArgBinder::Get(DataType type, PrimExpr handle, StructField field) -> PrimExpr {
  return StructGet(terms_, type, handle, terms_.Int32(0), field);
}

}  // namespace relayopt::tir
