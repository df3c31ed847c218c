// Lists the expressions of a function for comparison.
#include "function_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/hash/hash.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

auto DiffNames::Type(TypeId type) -> const std::string& {
  const auto [entry, is_new] = types_.try_emplace(type);
  if (is_new && type) entry->second = TypeName(context_, type);
  return entry->second;
}

auto DiffNames::Fields(AttrsId attrs) -> std::vector<std::pair<std::string, std::string>> {
  return attrs ? attrs_.Fields(attrs) : std::vector<std::pair<std::string, std::string>>();
}

auto DiffNames::Value(ObjectId value) -> std::string {
  std::string text;
  attrs_.AppendValue(text, value);
  return text;
}

auto PrintedModule::Options(TypePrinting types) -> PrintOptions {
  PrintOptions options;
  options.metadata = MetadataPrinting::kSilent;
  options.types = types;
  return options;
}

PrintedModule::PrintedModule(const Module& module, TypePrinting types) {
  text = PrintRelay(module, Options(types), trace);
  for (const PrintTrace::Place& place : trace.places) places.try_emplace({place.function, place.expr}, place);
}

FunctionView::FunctionView(const Module& module, GlobalId id, const PrintedModule& printed, DiffNames& names,
                           bool by_name)
    : module_(module),
      id_(id),
      function_(*module.function<Function>(id)),
      printed_(printed),
      names_(names),
      by_name_(by_name),
      lets_(function_),
      resolved_(function_.size()) {
  FindItems();
  FindLines();
  MakeKeys();
}

auto FunctionView::IsItem(ExprId id) const -> bool {
  switch (function_.kind(id)) {
    case ExprKind::kGlobal:
    case ExprKind::kConstructor:
    case ExprKind::kOp:
    case ExprKind::kConstant: return false;
    case ExprKind::kVar: return !lets_.ValueOf(id).has_value();
    default: return true;
  }
}

void FunctionView::FindItems() {
  // A variable comes before its value in the table, so that a path of variables leads downwards and then once up.
  for (const ExprId id : function_.ids()) {
    ExprId end = id;
    size_t steps = 0;
    while (function_.kind(end) == ExprKind::kVar && lets_.ValueOf(end).has_value() && steps++ <= function_.size()) {
      end = lets_.ValueOf(end);
      // The values of earlier variables are already known.
      if (end < id) {
        end = resolved_[end];
        break;
      }
    }
    resolved_[id] = end;
  }
  std::vector<std::pair<size_t, ExprId>> order;
  size_t at = 0;
  for (const ExprId id : function_.ids()) {
    const auto place = printed_.places.find({id_, id});
    if (place != printed_.places.end()) at = place->second.begin;
    if (IsItem(id)) order.emplace_back(at, id);
  }
  std::ranges::stable_sort(order, {}, &std::pair<size_t, ExprId>::first);
  for (const auto& [offset, id] : order) items_.push_back(id);
}

void FunctionView::FindLines() {
  const auto root = printed_.places.find({id_, function_.root()});
  if (root == printed_.places.end()) return;
  const std::string_view text = printed_.text;
  const size_t before = root->second.begin == 0 ? std::string::npos : text.rfind('\n', root->second.begin - 1);
  size_t at = before == std::string::npos ? 0 : before + 1;
  while (at < text.size()) {
    line_begins_.push_back(at);
    // A function ends with a brace at the beginning of a line.
    const bool is_last = text[at] == '}';
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (is_last) break;
  }
  line_begins_.push_back(at);
}

auto FunctionView::Lines() const -> std::vector<std::string_view> {
  std::vector<std::string_view> lines;
  for (size_t i = 0; i + 1 < line_begins_.size(); ++i) {
    std::string_view line =
        std::string_view(printed_.text).substr(line_begins_[i], line_begins_[i + 1] - line_begins_[i]);
    if (line.ends_with('\n')) line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

auto FunctionView::LineOf(ExprId id) const -> std::optional<size_t> {
  const auto place = printed_.places.find({id_, id});
  if (place == printed_.places.end() || line_begins_.empty()) return std::nullopt;
  const size_t at = place->second.begin;
  if (at < line_begins_.front() || at >= line_begins_.back()) return std::nullopt;
  return static_cast<size_t>(std::ranges::upper_bound(line_begins_, at) - line_begins_.begin()) - 1;
}

auto FunctionView::OperandsOf(ExprId id) const -> std::vector<ExprId> {
  std::vector<ExprId> operands;
  if (function_.kind(id) == ExprKind::kLet) {
    for (size_t i = 0; i < function_.let_size(id); ++i) operands.push_back(Resolve(function_.let_value(id, i)));
    operands.push_back(Resolve(function_.let_result(id)));
    return operands;
  }
  for (const ExprId operand : function_.operands(id)) operands.push_back(Resolve(operand));
  return operands;
}

auto FunctionView::KindKey(ExprId id) const -> uint64_t {
  if (Resolve(id) != id) return 0;
  const ExprKind kind = function_.kind(id);
  const auto number = static_cast<uint64_t>(kind);
  if (kind == ExprKind::kOpCall) return absl::HashOf(number, function_.op(id));
  return IsItem(id) ? absl::HashOf(number, id == function_.root()) : absl::HashOf(number, LeafOf(id));
}

auto FunctionView::OwnKey(ExprId id) const -> uint64_t {
  const ExprKind kind = function_.kind(id);
  const uint64_t key = absl::HashOf(KindKey(id), names_.Type(function_.type(id)));
  switch (kind) {
    case ExprKind::kOpCall:
    case ExprKind::kCall: return absl::HashOf(key, function_.attrs(id));
    case ExprKind::kTupleGetItem: return absl::HashOf(key, function_.index(id));
    case ExprKind::kConstant: return absl::HashOf(key, function_.constant(id).num_bytes());
    default: return key;
  }
}

void FunctionView::MakeKeys() {
  SideTable<ExprId, uint64_t> own(function_.size());
  for (const ExprId id : function_.ids()) own[id] = OwnKey(id);
  const auto with_operands = [&](const SideTable<ExprId, uint64_t>& keys) {
    SideTable<ExprId, uint64_t> made(function_.size());
    for (const ExprId id : function_.ids()) {
      uint64_t key = own[id];
      // The steps of a chain are lines of their own. A function is described by its result.
      const bool is_long = function_.kind(id) == ExprKind::kLet;
      if (function_.kind(id) == ExprKind::kVar && by_name_) {
        key = absl::HashOf(key, module_.context().text(function_.var(id).name));
      } else if (is_long) {
        key = absl::HashOf(key, keys[Resolve(function_.let_result(id))]);
      } else {
        for (const ExprId operand : function_.operands(id)) key = absl::HashOf(key, keys[Resolve(operand)]);
      }
      made[id] = key;
    }
    return made;
  };
  const SideTable<ExprId, uint64_t> near = with_operands(own);
  const SideTable<ExprId, uint64_t> far = with_operands(near);
  for (const ExprId id : items_) {
    keys_[0].push_back(far[id]);
    keys_[1].push_back(near[id]);
    keys_[2].push_back(own[id]);
    keys_[3].push_back(KindKey(id));
  }
}

auto FunctionView::TextOf(ExprId id) const -> std::string {
  const auto found = printed_.places.find({id_, id});
  if (found == printed_.places.end()) return "";
  const PrintTrace::Place& place = found->second;
  const std::string& text = printed_.text;
  size_t end = place.end != 0 ? place.end : std::min(text.find('\n', place.begin), text.size());
  std::string line = text.substr(place.begin, end - place.begin);
  if (line.ends_with(';')) line.pop_back();
  // Parameters have texts of their own.
  if (function_.kind(id) == ExprKind::kFunction) {
    // The type of a let before it has brackets, too.
    const size_t literal = line.find("= fn ");
    const size_t open = line.find('(', literal == std::string::npos ? 0 : literal);
    if (open != std::string::npos) line = line.substr(0, open) + "(...) {";
  }
  return line;
}

auto FunctionView::RefOf(ExprId id) const -> std::string {
  if (!IsItem(id)) return LeafOf(id);
  if (function_.kind(id) == ExprKind::kVar) return "%" + std::string(module_.context().text(function_.var(id).name));
  const std::string line = TextOf(id);
  const std::string_view text = line.starts_with("let ") ? std::string_view(line).substr(4) : std::string_view(line);
  // The numbers of the two sides differ, so the operand is described by its content.
  const std::string what = function_.kind(id) == ExprKind::kOpCall ? fmt::format(" ({})", function_.op(id)->name) : "";
  const size_t name_end = text.find_first_of(" :");
  const bool is_bound =
      text.starts_with('%') && text.find('(') > name_end && text.find(" = ") != std::string_view::npos;
  if (is_bound) return std::string(text.substr(0, name_end)) + what;
  return line.empty() ? "an expression" : line.substr(0, line.find(" /*"));
}

auto FunctionView::LeafOf(ExprId id) const -> std::string {
  switch (function_.kind(id)) {
    case ExprKind::kGlobal: return "@" + std::string(module_.name(function_.global(id)));
    case ExprKind::kConstructor:
      return std::string(module_.context().text(module_.constructor(function_.constructor(id)).name));
    case ExprKind::kOp: return std::string(function_.op(id)->name);
    default: break;
  }
  const Constant& constant = function_.constant(id);
  if (const auto number = constant.is_scalar() ? constant.ScalarAsDouble() : std::nullopt) {
    return fmt::format("{} of {}", *number, ToString(constant.dtype()));
  }
  return fmt::format("a constant Tensor[({}), {}]", fmt::join(constant.shape(), ", "), ToString(constant.dtype()));
}

}  // namespace relayopt
