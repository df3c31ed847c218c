// Functions and their builder.
#include "relayopt/relay/ir/function.h"

#include "absl/container/inlined_vector.h"
#include "relayopt/relay/ir/provenance.h"

namespace relayopt {

namespace {

// Operands of most calls and function literals.
constexpr size_t kUsualCount = 8;

void CheckRoom(size_t num_nodes, size_t num_operands, size_t count) {
  RELAYOPT_CHECK(count <= ExprNode::kMaxCount, "an expression has at most 2^27 operands");
  RELAYOPT_CHECK(num_nodes < ExprId::kNone && num_operands < UINT32_MAX, "a function has at most 2^32 expressions");
}

auto KindAndCount(ExprKind kind, size_t count) -> uint32_t {
  return (static_cast<uint32_t>(kind) << ExprNode::kCountBits) | static_cast<uint32_t>(count);
}

// Sets the value for an expression after all those that the table has.
template <typename T>
inline void AppendBeside(std::vector<T>& table, ExprId id, T value) {
  while (table.size() < id.value()) table.push_back(T());
  table.push_back(value);
}

// Sets the value for an expression in a table that ends with the last expression that has a value.
template <typename T>
void SetBeside(std::vector<T>& table, ExprId id, const T& value, bool is_value) {
  if (id.value() < table.size()) {
    table[id.value()] = value;
  } else if (is_value) {
    AppendBeside(table, id, value);
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
  function_.origins_.reserve(from.origins_.size());
}

auto FunctionBuilder::Add(ExprKind kind, uint32_t payload, std::span<const ExprId> operands) -> ExprId {
  CheckRoom(function_.nodes_.size(), function_.operands_.size(), operands.size());
  ExprNode node;
  node.kind_and_count = KindAndCount(kind, operands.size());
  node.payload = payload;
  node.first_operand = static_cast<uint32_t>(function_.operands_.size());
  // There are usually few of them, and one by one is faster than as a range.
  for (const ExprId operand : operands) function_.operands_.push_back(operand);
  function_.nodes_.push_back(node);
  const ExprId made(function_.nodes_.size() - 1);
  if (replaced_) [[unlikely]]
    AppendBeside(function_.origins_, made, replaced_);
  return made;
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
  const size_t count = steps.size() + 1;
  const ExprId let = Add(ExprKind::kLet, 0, steps);
  // The result follows the steps, of which there may be millions, in the pool of operands.
  CheckRoom(let.value(), function_.operands_.size(), count);
  function_.operands_.push_back(result);
  function_.nodes_[let.value()].kind_and_count = KindAndCount(ExprKind::kLet, count);
  return let;
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
  CheckRoom(function_.nodes_.size(), function_.operands_.size(), operands.size());
  ExprNode node = from.nodes_[id.value()];
  const ExprKind kind = node.kind();
  if (kind == ExprKind::kVar) {
    node.payload = static_cast<uint32_t>(function_.vars_.size());
    function_.vars_.push_back(from.vars_[from.payload(id)]);
  } else if (kind == ExprKind::kFunction) {
    node.payload = static_cast<uint32_t>(function_.functions_.size());
    function_.functions_.push_back(from.info(id));
  } else if (kind == ExprKind::kMatch) {
    node.payload = static_cast<uint32_t>(function_.matches_.size());
    function_.matches_.push_back(from.match(id));
  }
  node.kind_and_count = KindAndCount(kind, operands.size());
  node.first_operand = static_cast<uint32_t>(function_.operands_.size());
  for (const ExprId operand : operands) function_.operands_.push_back(operand);
  const ExprId made(function_.nodes_.size());
  function_.nodes_.push_back(node);
  if (id.value() < from.ranges_.size()) AppendBeside(function_.ranges_, made, from.ranges_[id.value()]);
  if (id.value() < from.spans_.size()) AppendBeside(function_.spans_, made, from.spans_[id.value()]);
  if (id.value() < from.origins_.size()) AppendBeside(function_.origins_, made, from.origins_[id.value()]);
  return made;
}

void FunctionBuilder::SetRange(ExprId id, SourceRange range) {
  // Most ranges are those of expressions that were just added, and the one before has a range, too.
  if (id.value() == function_.ranges_.size() && range.valid()) [[likely]]
    function_.ranges_.push_back(range);
  else
    SetBeside(function_.ranges_, id, range, range.valid());
}

void FunctionBuilder::SetSpan(ExprId id, SpanId span) { SetBeside(function_.spans_, id, span, span.has_value()); }

void FunctionBuilder::AddOrigin(ExprId id, OriginId origin) {
  const OriginId old = function_.origin(id);
  const bool is_made = IsMade(id);
  auto& table = context().Part<OriginTable>();
  const OriginId known =
      is_made ? MadeFrom(table.Join(OriginId(old.value() & ~kMade), origin)) : table.Join(old, table.Made(origin));
  SetBeside(function_.origins_, id, known, true);
}

void FunctionBuilder::Replace(const Function& from, std::span<const ExprId> ids) {
  if (!from.tracks_origins()) return;
  auto& table = context().Part<OriginTable>();
  OriginId all;
  for (const ExprId id : ids) all = table.Join(all, from.origin(id));
  replaced_ = MadeFrom(all);
}

void FunctionBuilder::SettleOrigins() {
  auto& table = context().Part<OriginTable>();
  for (OriginId& origin : function_.origins_) {
    if (origin && (origin.value() & kMade) != 0) origin = table.Made(OriginId(origin.value() & ~kMade));
  }
}

auto FunctionBuilder::Finish(ExprId root) -> Function {
  RELAYOPT_CHECK(function_.kind(root) == ExprKind::kFunction, "the root of a function is a function");
  if (replaced_) SettleOrigins();
  function_.root_ = root;
  return std::move(function_);
}

}  // namespace relayopt
