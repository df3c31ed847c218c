// Terms as text in the notation of TVM's older printer.
#include <cstdio>
#include <string>
#include <variant>

#include "relayopt/arith/walk.h"

namespace relayopt::arith {

namespace {

using enum PrimKind;

// Writes terms with a stack of what remains to be written (terms, and the text between them), because terms may be a
// million levels deep.
class LegacyWriter {
 public:
  LegacyWriter(const Terms& terms, const TermNames& names, Context& context)
      : terms_(terms), names_(names), context_(context) {}

  auto Run(PrimExpr root) -> std::string {
    pending_.emplace_back(root);
    while (!pending_.empty()) {
      const Piece piece = std::move(pending_.back());
      pending_.pop_back();
      if (const auto* text = std::get_if<std::string>(&piece)) {
        out_ += *text;
      } else {
        Write(std::get<PrimExpr>(piece));
      }
    }
    return std::move(out_);
  }

 private:
  using Piece = std::variant<PrimExpr, std::string>;

  // Queues the pieces, first to be written first.
  void Later(std::initializer_list<Piece> pieces) {
    for (auto it = std::rbegin(pieces); it != std::rend(pieces); ++it) pending_.push_back(*it);
  }
  // `open`, the terms with `, ` between them, `close`.
  void Later(std::string_view open, std::span<const PrimExpr> items, std::string_view close) {
    out_ += open;
    pending_.emplace_back(std::string(close));
    for (size_t i = items.size(); i-- > 0;) {
      pending_.emplace_back(items[i]);
      if (i > 0) pending_.emplace_back(std::string(", "));
    }
  }

  auto VarName(PrimExpr var) const -> std::string {
    return names_.var ? names_.var(var) : std::string(context_.text(terms_.var(var).name));
  }
  auto BufferName(BufferId buffer) const -> std::string {
    return names_.buffer ? names_.buffer(buffer) : "buffer" + std::to_string(buffer.value());
  }

  void WriteFloat(PrimExpr e) {
    char digits[64];
    std::snprintf(digits, sizeof digits, "%g", terms_.float_value(e));
    out_ += digits;
    const DataType type = terms_.dtype(e);
    if (type.bits == 32) out_ += 'f';
    if (type.bits == 16) out_ += 'h';
  }

  void Infix(PrimExpr e, std::string_view sign) {
    Later({"(", terms_.operand(e, 0), std::string(sign), terms_.operand(e, 1), ")"});
  }

  void Write(PrimExpr e) {
    const auto operands = terms_.operands(e);
    switch (terms_.kind(e)) {
      case kVar: out_ += VarName(e); return;
      case kSizeVar: out_ += "{" + VarName(e) + "|" + VarName(e) + ">=0}"; return;
      case kIntImm:
        if (terms_.dtype(e) != DataType::Int(32)) out_ += "(" + ToString(terms_.dtype(e)) + ")";
        out_ += std::to_string(terms_.int_value(e));
        return;
      case kFloatImm: WriteFloat(e); return;
      case kStringImm: out_ += "\"" + std::string(context_.text(terms_.string_value(e))) + "\""; return;
      case kAny: out_ += '?'; return;
      case kCast: Later(ToString(terms_.dtype(e)) + "(", operands, ")"); return;
      case kAdd: Infix(e, " + "); return;
      case kSub: Infix(e, " - "); return;
      case kMul: Infix(e, "*"); return;
      case kDiv: Infix(e, "/"); return;
      case kMod: Infix(e, " % "); return;
      case kEQ: Infix(e, " == "); return;
      case kNE: Infix(e, " != "); return;
      case kLT: Infix(e, " < "); return;
      case kLE: Infix(e, " <= "); return;
      case kGT: Infix(e, " > "); return;
      case kGE: Infix(e, " >= "); return;
      case kAnd: Infix(e, " && "); return;
      case kOr: Infix(e, " || "); return;
      case kFloorDiv: Later("floordiv(", operands, ")"); return;
      case kFloorMod: Later("floormod(", operands, ")"); return;
      case kMin: Later("min(", operands, ")"); return;
      case kMax: Later("max(", operands, ")"); return;
      case kNot: Later("!", operands, ""); return;
      case kSelect: Later("select(", operands, ")"); return;
      case kRamp: Later("ramp(", operands, ", " + std::to_string(terms_.lanes(e)) + ")"); return;
      case kBroadcast: Later("x" + std::to_string(terms_.lanes(e)) + "(", operands, ")"); return;
      case kLet: Later({"(let ", operands[0], " = ", operands[1], " in ", operands[2], ")"}); return;
      case kBufferLoad: Later(BufferName(terms_.buffer(e)) + "[", operands, "]"); return;
      case kCall: {
        const CallOp& op = terms_.op(terms_.call_op(e));
        const std::string name(context_.text(op.name));
        Later((op.kind == CallOpKind::kGlobal ? "@" + name : name) + "(", operands, ")");
        return;
      }
      case kShuffle: Later("shuffle(", operands, ")"); return;
      case kReduce: Later("reduce(", operands, ")"); return;
    }
  }

  const Terms& terms_;
  const TermNames& names_;
  Context& context_;
  std::vector<Piece> pending_;
  std::string out_;
};

}  // namespace

auto LegacyText(const Terms& terms, PrimExpr e, const TermNames& names) -> std::string {
  return LegacyWriter(terms, names, terms.context()).Run(e);
}

}  // namespace relayopt::arith
