// Compiles loads, stores and addresses.
#include "lib/tir/eval/compiler.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/analysis/storage_scope.h"

namespace relayopt::tir {

namespace {

constexpr DataType kIndexWord = DataType::Int(64);

}  // namespace

void Compiler::PushAccessTerms(BufferId id, std::vector<PrimExpr>& terms) const {
  for (auto view = views_.find(id);; view = views_.find(id)) {
    const Buffer& buffer = tables_.buffer(id);
    terms.insert(terms.end(), buffer.shape.begin(), buffer.shape.end());
    terms.insert(terms.end(), buffer.strides.begin(), buffer.strides.end());
    terms.push_back(buffer.elem_offset);
    if (view == views_.end()) return;
    id = view->second.source;
  }
}

auto Compiler::Locate(BufferId id, std::vector<Reg> indices, uint16_t lanes, bool is_checked) -> Access {
  for (auto view = views_.find(id); view != views_.end(); view = views_.find(id)) {
    // Indices of a view are checked against its own shape, then moved to the region that it is a view of.
    const Buffer& buffer = tables_.buffer(id);
    const std::vector<Reg>& mins = view->second.mins;
    std::vector<Reg> moved(mins.begin(), mins.end() - static_cast<ptrdiff_t>(indices.size()));
    for (size_t i = 0; i < indices.size(); ++i) {
      const size_t n = i + 1 == indices.size() ? lanes : 1;
      place_.buffer = id;
      place_.axis = static_cast<uint32_t>(i);
      const DataType type = arith::WithLanes(kIndexWord, static_cast<int>(n));
      if (is_checked) Emit(OpCode::kCheckIndex, type, 0, indices[i], Known(buffer.shape[i]));
      moved.push_back(Index(OpCode::kAdd, indices[i], Widen(mins[mins.size() - indices.size() + i], 1, n), n));
    }
    indices = std::move(moved);
    id = view->second.source;
  }
  const Buffer& buffer = tables_.buffer(id);
  place_.buffer = id;
  place_.axis = 0;
  Access access;
  access.lanes = lanes;
  access.pointer = RegOf(buffer.data);
  const auto input = program_->input_regs.find(buffer.data);
  const bool is_input = input != program_->input_regs.end() && input->second == access.pointer;
  const bool is_outside = is_input || program_->packed_regs.contains(buffer.data);
  if (is_outside && outside_.insert(id).second) program_->buffers[buffer.data].push_back(id);
  if (const auto realized = realized_.find(id); realized != realized_.end()) {
    Reg at = ConstInt(0);
    for (size_t i = 0; i < indices.size(); ++i) {
      const size_t n = i + 1 == indices.size() ? lanes : 1;
      place_.axis = static_cast<uint32_t>(i);
      const Reg from_min = Index(OpCode::kSub, indices[i], Widen(realized->second[2 * i], 1, n), n);
      const DataType type = arith::WithLanes(kIndexWord, static_cast<int>(n));
      at = EmitTo(OpCode::kIndex, type, Widen(at, 1, n), realized->second[2 * i + 1], from_min);
    }
    access.index = at;
    return access;
  }
  // As TVM: a part of memory that tir.StorageRewrite merged has the extent that it had, and its indices begin further
  // back.
  const auto scope = ParseStorageScope(tables_.Scope(id));
  if (indices.size() == 1 && scope && IsSpecialMemory(*scope)) is_checked = false;
  access.index = buffer.strides.empty() ? LocateCompact(buffer, indices, lanes, is_checked)
                                        : LocateStrided(buffer, indices, lanes, is_checked);
  if (terms_.IsInt(buffer.elem_offset, 0)) return access;
  access.index = Index(OpCode::kAdd, access.index, Widen(Known(buffer.elem_offset), 1, lanes), lanes);
  return access;
}

auto Compiler::LocateCompact(const Buffer& buffer, std::span<const Reg> indices, uint16_t lanes, bool is_checked)
    -> Reg {
  Reg at = ConstInt(0);
  for (size_t i = 0; i < indices.size(); ++i) {
    const size_t n = i + 1 == indices.size() ? lanes : 1;
    const Reg extent = Known(buffer.shape[i]);
    const DataType type = arith::WithLanes(kIndexWord, static_cast<int>(n));
    place_.axis = static_cast<uint32_t>(i);
    if (is_checked) {
      at = EmitTo(OpCode::kIndex, type, Widen(at, 1, n), extent, indices[i]);
    } else {
      const Reg before = Widen(Index(OpCode::kMul, at, extent), 1, n);
      at = Index(OpCode::kAdd, before, indices[i], n);
    }
  }
  return at;
}

auto Compiler::LocateStrided(const Buffer& buffer, std::span<const Reg> indices, uint16_t lanes, bool is_checked)
    -> Reg {
  Reg at = ConstInt(0);
  for (size_t i = 0; i < indices.size(); ++i) {
    const size_t n = i + 1 == indices.size() ? lanes : 1;
    place_.axis = static_cast<uint32_t>(i);
    const DataType type = arith::WithLanes(kIndexWord, static_cast<int>(n));
    if (is_checked) Emit(OpCode::kCheckIndex, type, 0, indices[i], Known(buffer.shape[i]));
    const Reg part = Index(OpCode::kMul, indices[i], Widen(Known(buffer.strides[i]), 1, n), n);
    at = Index(OpCode::kAdd, Widen(at, 1, n), part, n);
  }
  return at;
}

auto Compiler::LocateTerms(BufferId id, std::span<const PrimExpr> indices, bool is_checked) -> Access {
  auto regs = MapToVector<Reg>(indices, [&](PrimExpr index) { return Known(index); });
  const int lanes = indices.empty() ? 1 : terms_.lanes(indices.back());
  return Locate(id, std::move(regs), static_cast<uint16_t>(lanes), is_checked);
}

auto Compiler::Load(PrimExpr load) -> Reg {
  const BufferId id = terms_.buffer(load);
  const Access access = LocateTerms(id, terms_.operands(load), true);
  place_.buffer = id;
  const uint16_t element = tables_.buffer(id).dtype.lanes;
  return EmitTo(OpCode::kLoad, terms_.dtype(load), access.pointer, access.index, element);
}

void Compiler::Store(BufferStore store) {
  std::vector<PrimExpr> needs(store.indices().begin(), store.indices().end());
  PushAccessTerms(store.buffer(), needs);
  const Reg value = Value(store.value());
  for (const PrimExpr term : needs) Value(term);
  const Access access = LocateTerms(store.buffer(), store.indices(), true);
  place_.buffer = store.buffer();
  const DataType type = tables_.buffer(store.buffer()).dtype;
  Emit(OpCode::kStore, arith::WithLanes(type, access.lanes * type.lanes), value, access.pointer, access.index,
       type.lanes);
}

auto Compiler::AddressOf(PrimExpr call) -> Reg {
  const PrimExpr load = terms_.operand(call, 0);
  if (terms_.kind(load) != PrimKind::kBufferLoad)
    return Fail("the address of a value that is not an element of a buffer");
  const DataType type = tables_.buffer(terms_.buffer(load)).dtype;
  const Access access = LocateTerms(terms_.buffer(load), terms_.operands(load), false);
  return EmitTo(OpCode::kAddress, type, access.pointer, access.index);
}

auto Compiler::AtomicAdd(PrimExpr call) -> Reg {
  const DataType type = terms_.dtype(terms_.operand(call, 1));
  const Reg pointer = Known(terms_.operand(call, 0));
  const Reg before = EmitTo(OpCode::kLoad, type, pointer, ConstInt(0), kAtomic | 1);
  const Reg sum = EmitTo(OpCode::kAdd, type, before, Known(terms_.operand(call, 1)));
  Emit(OpCode::kStore, type, sum, pointer, ConstInt(0), kAtomic | 1);
  return before;
}

// ptx_cp_async(to, offset, from, offset, bytes[, condition]), offsets in elements of the call's type. Where the
// condition does not hold, zeros are stored.
auto Compiler::CopyAsync(PrimExpr call) -> Reg {
  const auto args = terms_.operands(call);
  const DataType type = arith::ElementOf(terms_.dtype(call));
  const auto bytes = terms_.AsInt(args[4]).value_or(0);
  const auto size = static_cast<int64_t>(type.bytes());
  if (size == 0 || bytes <= 0 || bytes % size != 0 || bytes / size > UINT16_MAX)
    return Fail("a copy of other than whole elements");
  const auto lanes = static_cast<uint16_t>(bytes / size);
  const DataType all = {type.code, type.bits, lanes};
  const Reg from = EmitTo(OpCode::kAddress, type, Known(args[2]), Known(args[3]));
  const Reg to = EmitTo(OpCode::kAddress, type, Known(args[0]), Known(args[1]));
  const Reg value = Temp(lanes);
  Emit(OpCode::kBroadcast, all, value, ConstInt(0));
  const bool has_condition = args.size() == 6;
  const uint32_t past = has_condition ? Emit(OpCode::kJumpIfZero, DataType::Bool(), 0, 0, Known(args[5])) : 0;
  Emit(OpCode::kLoad, all, value, from, ConstInt(0), lanes);
  if (has_condition) JumpHere(past);
  Emit(OpCode::kStore, all, value, to, ConstInt(0), lanes);
  return ConstInt(0);
}

// ptx_ldg32(to, condition, from, offset): if the condition holds, copies the value of the load `from` to `offset`
// elements after `to`.
auto Compiler::LoadWhere(PrimExpr call) -> Reg {
  const auto args = terms_.operands(call);
  const PrimExpr from = args[2];
  const uint32_t past = Emit(OpCode::kJumpIfZero, DataType::Bool(), 0, 0, Known(args[1]));
  OpenScope();
  Emit(OpCode::kStore, terms_.dtype(from), Value(from), Known(args[0]), Known(args[3]), 1);
  CloseScope();
  JumpHere(past);
  return ConstInt(0);
}

auto Compiler::ElementOfPointer(PrimExpr pointer) const -> DataType {
  if (terms_.is_var(pointer)) return terms_.var(pointer).type.dtype;
  const bool is_access = IsCallOf(pointer, "tir.tvm_access_ptr"_intrin) || IsCallOf(pointer, "tir.address_of"_intrin);
  return is_access && terms_.num_operands(pointer) != 0 ? terms_.dtype(terms_.operand(pointer, 0)) : DataType::Void();
}

// Further arguments: which matrix of the product the fragment is, and whether its memory is column-major.
auto Compiler::FragmentCall(PrimExpr call, MatrixCall what) -> Reg {
  const auto args = terms_.operands(call);
  CallSite site{.matrix = what, .type = terms_.dtype(call)};
  for (const PrimExpr arg : args) {
    if (terms_.kind(arg) == PrimKind::kStringImm) continue;
    const bool is_pointer = arith::IsHandle(terms_.dtype(arg));
    const DataType type = is_pointer ? ElementOfPointer(arg) : terms_.dtype(arg);
    if (type.lanes != 1 || type.bytes() == 0 || type.bits < 8 || !CanCompute(type)) {
      return Fail("a fragment of elements of type " + ToString(type));
    }
    site.args.push_back(Known(arg));
    site.types.push_back(type);
  }
  const bool is_column = terms_.kind(args.back()) == PrimKind::kStringImm &&
                         func_.context().text(terms_.string_value(args.back())) == "col_major";
  const std::string_view scope = ScopeOf(terms_, func_.context(), args[0]);
  const int64_t matrix = scope == "wmma.matrix_a" ? 0 : scope == "wmma.matrix_b" ? 1 : 2;
  for (const int64_t value : {matrix, int64_t{is_column ? 1 : 0}}) {
    site.args.push_back(ConstInt(value));
    site.types.push_back(DataType::Int(64));
  }
  const Reg result = site.result = Temp();
  program_->calls.push_back(std::move(site));
  Emit(OpCode::kMatrix, terms_.dtype(call), 0, static_cast<uint32_t>(program_->calls.size() - 1));
  return result;
}

auto Compiler::CountElements(const Buffer& buffer) -> Reg {
  Reg count = ConstInt(1);
  for (size_t i = 0; i < buffer.ndim(); ++i) {
    const Reg extent = Value(buffer.shape[i]);
    if (buffer.strides.empty()) {
      count = Index(OpCode::kMul, count, extent);
    } else {
      // The index after the last element.
      const Reg last = Index(OpCode::kSub, extent, ConstInt(1));
      count = Index(OpCode::kAdd, count, Index(OpCode::kMul, last, Value(buffer.strides[i])));
    }
  }
  count = Index(OpCode::kAdd, count, Value(buffer.elem_offset));
  return Index(OpCode::kMul, count, ConstInt(buffer.dtype.lanes));
}

}  // namespace relayopt::tir
