// Functions and their builder.
#include "relayopt/ir/function.h"

#include "absl/container/inlined_vector.h"

namespace relayopt {

namespace {

// Operands of most calls and function literals.
constexpr size_t kUsualCount = 8;

// Sets the value for an expression in a table that is shorter than the function where the rest has no value.
template <typename T>
void SetBeside(std::vector<T>& table, ExprId id, const T& value, bool is_value) {
  if (id.value() < table.size()) {
    table[id.value()] = value;
  } else if (is_value) {
    if (table.size() < id.value()) table.resize(id.value());
    table.push_back(value);
  }
}

}  // namespace

auto Function::FindAttr(ExprId id, std::string_view key) const -> ObjectId {
  for (const FunctionAttr& attr : info(id).attrs) {
    if (context_->text(attr.key) == key) return attr.value;
  }
  return {};
}

auto Function::IntAttr(ExprId id, std::string_view key) const -> int64_t {
  const ObjectId value = FindAttr(id, key);
  if (!value || context_->object(value).kind != ObjectKind::kInt) return 0;
  return context_->object(value).integer;
}

auto Function::StringAttr(ExprId id, std::string_view key) const -> StringId {
  const ObjectId value = FindAttr(id, key);
  if (!value || context_->object(value).kind != ObjectKind::kString) return {};
  return context_->object(value).text;
}

void FunctionBuilder::ReserveLike(const Function& from) {
  function_.nodes_.reserve(from.nodes_.size());
  function_.operands_.reserve(from.operands_.size());
  function_.vars_.reserve(from.vars_.size());
  function_.functions_.reserve(from.functions_.size());
  function_.ranges_.reserve(from.ranges_.size());
  function_.spans_.reserve(from.spans_.size());
}

auto FunctionBuilder::Add(ExprKind kind, uint32_t payload, std::span<const ExprId> operands) -> ExprId {
  RELAYOPT_CHECK(operands.size() <= ExprNode::kMaxCount, "an expression has at most 2^27 operands");
  RELAYOPT_CHECK(function_.nodes_.size() < ExprId::kNone && function_.operands_.size() < UINT32_MAX,
                 "a function has at most 2^32 expressions");
  ExprNode node;
  node.kind_and_count = (static_cast<uint32_t>(kind) << ExprNode::kCountBits) | static_cast<uint32_t>(operands.size());
  node.payload = payload;
  node.first_operand = static_cast<uint32_t>(function_.operands_.size());
  // There are few of them: one by one is quicker than as a range.
  for (const ExprId operand : operands) function_.operands_.push_back(operand);
  function_.nodes_.push_back(node);
  return ExprId(function_.nodes_.size() - 1);
}

auto FunctionBuilder::Var(const VarInfo& info) -> ExprId {
  function_.vars_.push_back(info);
  return Add(ExprKind::kVar, static_cast<uint32_t>(function_.vars_.size() - 1), {});
}

auto FunctionBuilder::Call(ExprId callee, std::span<const ExprId> args, AttrsId attrs) -> ExprId {
  absl::InlinedVector<ExprId, kUsualCount> operands = {callee};
  operands.insert(operands.end(), args.begin(), args.end());
  return Add(ExprKind::kCall, attrs.value(), operands);
}

auto FunctionBuilder::Lambda(FunctionInfo info, std::span<const ExprId> params, ExprId body) -> ExprId {
  absl::InlinedVector<ExprId, kUsualCount> operands(params.begin(), params.end());
  operands.push_back(body);
  function_.functions_.push_back(std::move(info));
  return Add(ExprKind::kFunction, static_cast<uint32_t>(function_.functions_.size() - 1), operands);
}

auto FunctionBuilder::Let(std::span<const ExprId> steps, ExprId result) -> ExprId {
  std::vector<ExprId> operands(steps.begin(), steps.end());
  operands.push_back(result);
  return Add(ExprKind::kLet, 0, operands);
}

auto FunctionBuilder::If(ExprId condition, ExprId then_value, ExprId else_value) -> ExprId {
  const ExprId operands[] = {condition, then_value, else_value};
  return Add(ExprKind::kIf, 0, operands);
}

auto FunctionBuilder::Match(MatchInfo info, std::span<const ExprId> operands) -> ExprId {
  function_.matches_.push_back(std::move(info));
  return Add(ExprKind::kMatch, static_cast<uint32_t>(function_.matches_.size() - 1), operands);
}

auto FunctionBuilder::RefWrite(ExprId ref, ExprId value) -> ExprId {
  const ExprId operands[] = {ref, value};
  return Add(ExprKind::kRefWrite, 0, operands);
}

auto FunctionBuilder::Copy(const Function& from, ExprId id, std::span<const ExprId> operands) -> ExprId {
  uint32_t payload = from.payload(id);
  const ExprKind kind = from.kind(id);
  if (kind == ExprKind::kVar) {
    function_.vars_.push_back(from.var(id));
    payload = static_cast<uint32_t>(function_.vars_.size() - 1);
  } else if (kind == ExprKind::kFunction) {
    function_.functions_.push_back(from.info(id));
    payload = static_cast<uint32_t>(function_.functions_.size() - 1);
  } else if (kind == ExprKind::kMatch) {
    function_.matches_.push_back(from.match(id));
    payload = static_cast<uint32_t>(function_.matches_.size() - 1);
  }
  const ExprId made = Add(kind, payload, operands);
  SetType(made, from.type(id));
  SetRange(made, from.range(id));
  SetSpan(made, from.span(id));
  return made;
}

void FunctionBuilder::SetRange(ExprId id, SourceRange range) { SetBeside(function_.ranges_, id, range, range.valid()); }

void FunctionBuilder::SetSpan(ExprId id, SpanId span) { SetBeside(function_.spans_, id, span, span.has_value()); }

auto FunctionBuilder::Finish(ExprId root) -> Function {
  RELAYOPT_CHECK(function_.kind(root) == ExprKind::kFunction, "the root of a function is a function");
  function_.root_ = root;
  return std::move(function_);
}

}  // namespace relayopt
