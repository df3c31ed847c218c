// Variables that change, which TIRX, the dialect of TVM 0.27, has and TVM 0.15 lacks: each is a buffer of one element.
//
//   v: T.float32 = A[0]              v = T.decl_buffer((1,), scope="local")
//   for i in range(4):               v[0] = A[0]
//       v = v + B[i]           ->    for i in range(4):
//                                        v[0] = v[0] + B[i]
//
// A name that nothing is bound to yet becomes one as well (`v = A[0]`), and every buffer of the shape (1,) may be
// written like that, parameters too. A variable that does not change is `v: T.let[T.float32] = A[0]`.
#include "lib/tir/script/reader_state.h"

namespace relayopt::tir {

auto Reader::IsScalar(const Value& value) const -> bool {
  if (!speaks_tirx() || !value.is(ValueKind::kBuffer)) return false;
  const Buffer& buffer = tables_.buffer(value.buffer());
  return buffer.ndim() == 1 && terms_.IsInt(buffer.shape[0], 1);
}

auto Reader::LoadScalar(const Value& scalar) -> PrimExpr {
  const PrimExpr first[] = {terms_.Int32(0)};
  return Load(scalar.buffer(), first, scalar.range);
}

// Reads `target = value` as a store to a scalar, a new one if needed; returns nothing if the name gets another meaning.
auto Reader::AssignScalar(const Token& target, const Value& value) -> std::optional<bool> {
  const Binding& bound = binding(target.name);
  const bool is_scalar = bound.bound && IsScalar(bound.value);
  switch (value.kind) {
    case ValueKind::kInt:
    case ValueKind::kBool:
    case ValueKind::kFloat:
    case ValueKind::kRegion: break;
    case ValueKind::kExpr: {
      // A variable that has no name yet is declared, and handles do not change.
      const bool is_new = terms_.is_var(value.expr()) && !IsDenoted(value.expr());
      if (is_new || arith::IsHandle(terms_.dtype(value.expr()))) return std::nullopt;
      break;
    }
    case ValueKind::kBuffer: {
      // A named buffer is read; a call creates a new one.
      const SourceRange range = value.range;
      const bool is_call =
          lexer_.text().substr(range.begin, range.end - range.begin).find('(') != std::string_view::npos;
      if (is_call || !IsScalar(value)) return std::nullopt;
      break;
    }
    default: return std::nullopt;
  }
  const PrimExpr expr = ToExpr(value);
  if (!expr) {
    BindPoison({&target, 1});
    return true;
  }
  if (!is_scalar && !BindScalar(target, terms_.dtype(expr))) return false;
  const PrimExpr first[] = {terms_.Int32(0)};
  StoreTo(binding(target.name).value.buffer(), expr, first, {target.begin, value.range.end});
  return true;
}

// `target: T.float32`, with a value or without.
auto Reader::ReadScalar(const Token& target, DataType dtype) -> bool {
  if (!BindScalar(target, dtype)) return false;
  if (lexer_.token().kind != TokenKind::kEqual) return EndOfLine();
  return ReadAssignment({&target, 1});
}

// Allocates a buffer of one element from here to the end of the statements around it.
auto Reader::BindScalar(const Token& target, DataType dtype) -> bool {
  Buffer buffer;
  buffer.dtype = dtype;
  buffer.shape = {terms_.Int32(1)};
  const DataType stored = arith::IsBool(dtype) ? DataType::Int(8) : dtype;
  buffer.data = terms_.Var("", VarType::Pointer(stored, context_.Intern("local")));
  buffer.offset_factor = 1;
  Frame frame;
  frame.kind = FrameKind::kDeclAllocate;
  frame.range = target.range();
  frame.buffer = tables_.Add(std::move(buffer));
  const BufferId made = frame.buffer;
  Open(std::move(frame));
  NameBuffer(made, names_.id(target.name));
  return BindName(target, Value::Buffer(made));
}

}  // namespace relayopt::tir
