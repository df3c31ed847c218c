// Names of types and expressions in messages, and the ranges that messages point to.
#include "type_messages.h"

#include "relayopt/relay/analysis/diagnostics.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/characters.h"

namespace relayopt {

auto TypeMessages::Name(TypeId type) -> std::string { return TypeName(function_.context(), unifier_.Resolve(type)); }

auto TypeMessages::Describe(ExprId id) const -> std::string {
  switch (function_.kind(id)) {
    case ExprKind::kVar: return fmt::format("variable %{}", function_.context().text(function_.var(id).name));
    case ExprKind::kGlobal: return fmt::format("function @{}", module_.name(function_.global(id)));
    case ExprKind::kConstructor:
      return fmt::format("constructor {}",
                         function_.context().text(module_.constructor(function_.constructor(id)).name));
    case ExprKind::kOp: return fmt::format("operator {}", function_.op(id)->name);
    case ExprKind::kOpCall: return fmt::format("call of {}", function_.op(id)->name);
    case ExprKind::kConstant: return "constant";
    case ExprKind::kTuple: return "tuple";
    case ExprKind::kTupleGetItem: return "projection";
    case ExprKind::kCall: return "call";
    case ExprKind::kFunction: return "function";
    case ExprKind::kLet: return "let";
    case ExprKind::kIf: return "if";
    case ExprKind::kMatch: return "match";
    case ExprKind::kRefCreate:
    case ExprKind::kRefRead:
    case ExprKind::kRefWrite: return "reference operation";
  }
  return "expression";
}

void TypeMessages::Mismatch(ExprId at, std::string_view what, TypeId found, TypeId expected) {
  // Copied first: naming the types resolves them, which may unify.
  const std::string reason = unifier_.mismatch();
  const SourceRange use = UseOf(at);
  Diagnostic& diagnostic = sink_.Report(diag::kTypeMismatch, use, what, Name(found), Name(expected), reason);
  if (user_ && function_.kind(user_) == ExprKind::kOpCall) {
    const OpDef& op = *function_.op(user_);
    diagnostic.Note(fmt::format("operator {}({}) needs that", op.name, op.inputs));
  }
  const SourceRange declared = function_.range(at);
  if (function_.kind(at) == ExprKind::kVar && declared.valid() && use != declared) {
    diagnostic.Note("it is declared here", declared);
  }
}

auto TypeMessages::UseOf(ExprId id) const -> SourceRange {
  const SourceRange own = function_.range(id);
  const SourceRange user = user_ ? function_.range(user_) : SourceRange();
  if (!user.valid() || (function_.kind(id) != ExprKind::kVar && own.valid())) return own;
  const SourceText* source = module_.source().get();
  if (source == nullptr || user.end > source->text().size() || function_.kind(id) != ExprKind::kVar) return user;
  // The text of the user shows where: of a function the end, which is its body.
  const std::string_view text = source->text().substr(user.begin, user.end - user.begin);
  const std::string name = fmt::format("%{}", function_.context().text(function_.var(id).name));
  const bool is_body = function_.kind(user_) == ExprKind::kFunction;
  const auto goes_on = [&](size_t at) {
    return at + name.size() < text.size() && IsNameCharacter(text[at + name.size()]);
  };
  size_t at = is_body ? text.rfind(name) : text.find(name);
  while (at != std::string_view::npos && goes_on(at)) {
    if (is_body && at == 0) return user;
    at = is_body ? text.rfind(name, at - 1) : text.find(name, at + 1);
  }
  if (at == std::string_view::npos) return user;
  const auto begin = user.begin + static_cast<uint32_t>(at);
  return {begin, begin + static_cast<uint32_t>(name.size())};
}

}  // namespace relayopt
