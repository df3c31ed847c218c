// Parses calls of operators: names, attributes and instances.
#include "op_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "relayopt/relay/ops/op_instance.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"
#include "unregistered_ops.h"

namespace relayopt {

auto OpCalls::Find(std::string_view name, SourceRange range) -> std::optional<uint32_t> {
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  const OpDef* op = FindOp(name);
  if (op == nullptr && parsing_.options.allow_unregistered_ops) op = UnregisteredOp(name);
  if (op == nullptr) {
    std::string help;
    if (parsing_.reporter.shows_errors()) {
      const auto names = MapToVector<std::string_view>(AllOps(), &OpDef::name);
      // `relu` is part of `nn.relu`.
      const auto inside = std::ranges::find_if(names, [&](std::string_view known) {
        return known.ends_with(name) && known.ends_with(fmt::format(".{}", name));
      });
      help = inside != names.end() ? fmt::format(" (did you mean '{}'?)", *inside) : DidYouMean(name, names);
    }
    parsing_.reporter.Report(diag::kUnknownOp, range, name, help);
    return std::nullopt;
  }
  entries_.push_back({op, {}, {}, {}});
  return ids_.emplace(op->name, static_cast<uint32_t>(entries_.size() - 1)).first->second;
}

auto OpCalls::Instance(uint32_t index, AttrsId attrs) -> OpInstanceId {
  return InternOpInstance(parsing_.context(), {entries_[index].op, attrs});
}

auto OpCalls::Plain(uint32_t index, SourceRange range) -> OpInstanceId {
  Entry& entry = entries_[index];
  if (entry.plain) return entry.plain;
  const OpDef& op = *entry.op;
  AttrsId record;
  if (op.attrs != nullptr && !op.attrs_undeclared) {
    attrs_.Clear();
    record = attrs_.RecordOf(*op.attrs, op.name, range);
    // Required attributes are missing, which must be reported for every such call.
    if (!record) return Instance(index, record);
  }
  return entry.plain = Instance(index, record);
}

auto OpCalls::WithAttrs(uint32_t index, AttrsId attrs, SourceRange range) -> OpInstanceId {
  const OpDef& op = *entries_[index].op;
  const AttrsRecord& record = parsing_.context().attrs(attrs);
  if (op.attrs != nullptr && !op.attrs_undeclared && record.schema != op.attrs) {
    const std::string_view given = record.schema != nullptr ? record.schema->type_key : "another kind";
    parsing_.reporter.Report(diag::kWrongAttrsClass, range, op.name, op.attrs->type_key, given);
  }
  return Instance(index, attrs);
}

auto OpCalls::ListText(uint32_t begin) const -> std::string_view {
  const Lexer& lexer = parsing_.lexer;
  // Longer lists are rarely repeated.
  constexpr uint32_t kLongest = 1000;
  for (uint32_t at = begin; at - begin < kLongest; ++at) {
    switch (lexer.char_at(at)) {
      case ')': return lexer.text({begin, at});
      case '"':
        for (++at; lexer.char_at(at) != '"'; ++at) {
          if (lexer.char_at(at) == '\\' || lexer.char_at(at) == '\0' || at - begin >= kLongest) return {};
        }
        break;
      case '(':
      case '/':
      case '\0': return {};
      default: break;
    }
  }
  return {};
}

auto OpCalls::FindKnownAttrs(uint32_t index, uint32_t begin) -> std::optional<std::pair<OpInstanceId, uint32_t>> {
  Entry& entry = entries_[index];
  const auto behind_last = begin + static_cast<uint32_t>(entry.list.size());
  if (entry.with_list && parsing_.lexer.char_at(behind_last) == ')' &&
      parsing_.lexer.text({begin, behind_last}) == entry.list) {
    return std::pair(entry.with_list, behind_last);
  }
  const std::string_view text = ListText(begin);
  const auto found = text.empty() ? lists_.end() : lists_.find(std::pair(index, text));
  if (found == lists_.end()) return std::nullopt;
  entry.list = text;
  entry.with_list = found->second;
  return std::pair(found->second, begin + static_cast<uint32_t>(text.size()));
}

auto OpCalls::ReadAttrs(uint32_t index, SourceRange callee) -> std::optional<OpInstanceId> {
  const uint32_t begin = parsing_.lexer.token().begin;
  if (const auto known = FindKnownAttrs(index, begin)) {
    parsing_.lexer.JumpTo(known->second);
    return known->first;
  }
  const std::string_view text = ListText(begin);
  if (!attrs_.ReadList(TokenKind::kRParen)) return std::nullopt;
  const size_t errors = parsing_.reporter.errors();
  const OpInstanceId instance = Instance(index, AttrsOf(*entries_[index].op, callee));
  const bool whole = parsing_.lexer.token().begin == begin + text.size();
  if (!text.empty() && whole && parsing_.reporter.errors() == errors) lists_.emplace(std::pair(index, text), instance);
  return instance;
}

auto OpCalls::AttrsOf(const OpDef& op, SourceRange callee) -> AttrsId {
  constexpr std::string_view kTypeKey = "attrs_type_key";
  const auto given = attrs_.TakeAttr(kTypeKey);
  if (given && given->value.kind != AttrValue::Kind::kString) {
    parsing_.reporter.Report(diag::kAttrType, given->value.range, kTypeKey, "a string");
    return {};
  }
  const auto key = given ? parsing_.context().text(given->value.text) : std::string_view();
  if (op.attrs != nullptr && (!given || key == op.attrs->type_key)) {
    return attrs_.RecordOf(*op.attrs, op.name, callee);
  }
  if (op.attrs != nullptr && !op.attrs_undeclared) {
    parsing_.reporter.Report(diag::kWrongAttrsClass, given->value.range, op.name, op.attrs->type_key, key);
    return {};
  }
  if (given) return RecordOfClass(key, callee);
  if (op.variadic) return attrs_.MapRecord();
  attrs_.ReportAllUnknown(op.name);
  return {};
}

auto OpCalls::RecordOfClass(std::string_view type_key, SourceRange callee) -> AttrsId {
  // With an empty key there are no attributes, whatever the list contains.
  if (type_key.empty()) return {};
  const AttrsSchema* schema = FindAttrsSchema(type_key);
  return schema != nullptr ? attrs_.RecordOf(*schema, type_key, callee) : attrs_.OpaqueRecord(type_key);
}

auto OpCalls::RecordOfObject(ObjectId id) -> AttrsId {
  if (!id) return {};
  Context& context = parsing_.context();
  const Object& object = context.object(id);
  if (object.kind == ObjectKind::kAttrs) return object.attrs;
  if (object.kind != ObjectKind::kNode || !context.text(object.type_key).ends_with("Attrs")) return {};
  AttrsId& record = opaque_[id];
  if (!record) record = context.AddOpaqueAttrs(id);
  return record;
}

auto OpCalls::ReadForeignAttrs(SourceRange callee) -> std::optional<AttrsId> {
  if (!attrs_.ReadList(TokenKind::kRParen)) return std::nullopt;
  const auto given = attrs_.TakeAttr("attrs_type_key");
  if (!given || given->value.kind != AttrValue::Kind::kString) {
    parsing_.reporter.Report(diag::kNoAttrsClass, callee);
    return AttrsId();
  }
  return RecordOfClass(parsing_.context().text(given->value.text), callee);
}

}  // namespace relayopt
