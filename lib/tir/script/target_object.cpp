// Targets as objects: from maps and strings, and back.
#include "relayopt/tir/script/target_object.h"

#include <vector>

#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/buffer.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoTarget{"target-object", Severity::kError, "the target is {}"};
// Hosts of hosts.
constexpr int kMaxDepth = 8;

auto ConfigOf(const Context& context, const Object& map, int depth) -> Result<TargetConfig>;

auto ValueOf(const Context& context, ObjectId id, int depth) -> Result<TargetValue> {
  if (!id) return MakeDiagnostic(kNoTarget, {}, "a map with None in it");
  const Object& object = context.object(id);
  switch (object.kind) {
    case ObjectKind::kString: return TargetValue(std::string(context.text(object.text)));
    case ObjectKind::kInt:
      if (object.dtype == DataType::Bool()) return TargetValue(object.integer != 0);
      return TargetValue(object.integer);
    case ObjectKind::kArray: {
      std::vector<int64_t> numbers;
      std::vector<std::string> words;
      std::vector<TargetRef> targets;
      for (const ObjectId item : object.items) {
        RELAYOPT_TRY(const TargetValue value, ValueOf(context, item, depth));
        if (const auto* number = std::get_if<int64_t>(&value)) numbers.push_back(*number);
        if (const auto* word = std::get_if<std::string>(&value)) words.push_back(*word);
        if (const auto* target = std::get_if<TargetRef>(&value)) targets.push_back(*target);
      }
      if (words.size() == object.items.size()) return TargetValue(std::move(words));
      if (targets.size() == object.items.size()) return TargetValue(std::move(targets));
      if (numbers.size() == object.items.size()) return TargetValue(std::move(numbers));
      return MakeDiagnostic(kNoTarget, {}, "a map with a list of neither numbers, words nor targets");
    }
    default: break;
  }
  if (depth == kMaxDepth) return MakeDiagnostic(kNoTarget, {}, "one with hosts of hosts without end");
  RELAYOPT_TRY(TargetConfig config, ConfigOf(context, object, depth + 1));
  RELAYOPT_TRY(Target target, Target::FromConfig(std::move(config)));
  return TargetValue(std::make_shared<const Target>(std::move(target)));
}

auto ConfigOf(const Context& context, const Object& map, int depth) -> Result<TargetConfig> {
  if (map.kind != ObjectKind::kMap && RefKindOf(context, map) != RefKind::kTarget) {
    return MakeDiagnostic(kNoTarget, {}, "neither a dict nor a string");
  }
  TargetConfig config;
  for (size_t i = 0; i < map.items.size(); i += 2) {
    const Object& key = context.object(map.items[i]);
    if (key.kind != ObjectKind::kString) return MakeDiagnostic(kNoTarget, {}, "a dict with a key that is not a string");
    RELAYOPT_TRY(TargetValue value, ValueOf(context, map.items[i + 1], depth));
    config.insert_or_assign(std::string(context.text(key.text)), std::move(value));
  }
  return config;
}

auto ObjectOf(Context& context, const TargetValue& value) -> ObjectId {
  struct Visitor {
    Context& context;
    auto operator()(int64_t number) const -> ObjectId { return context.AddInt(number); }
    auto operator()(bool on) const -> ObjectId { return context.AddInt(on ? 1 : 0, DataType::Bool()); }
    auto operator()(const std::string& text) const -> ObjectId { return context.AddString(text); }
    auto operator()(const std::vector<int64_t>& numbers) const -> ObjectId {
      const auto items = MapToVector<ObjectId>(numbers, [&](int64_t number) { return context.AddInt(number); });
      return context.AddArray(items);
    }
    auto operator()(const std::vector<std::string>& words) const -> ObjectId {
      const auto items = MapToVector<ObjectId>(words, [&](const std::string& word) { return context.AddString(word); });
      return context.AddArray(items);
    }
    auto operator()(const TargetRef& target) const -> ObjectId { return AddTarget(context, *target); }
    auto operator()(const std::vector<TargetRef>& targets) const -> ObjectId {
      const auto items =
          MapToVector<ObjectId>(targets, [&](const TargetRef& target) { return AddTarget(context, *target); });
      return context.AddArray(items);
    }
  };
  return std::visit(Visitor{context}, value);
}

}  // namespace

auto AddTarget(Context& context, const Target& target) -> ObjectId {
  std::vector<ObjectId> items;
  for (const auto& [key, value] : target.Export()) {
    items.push_back(context.AddString(key));
    items.push_back(ObjectOf(context, value));
  }
  return AddTarget(context, items);
}

auto TargetOf(const Context& context, ObjectId from) -> Result<Target> {
  if (!from) return MakeDiagnostic(kNoTarget, {}, "None");
  const Object& object = context.object(from);
  if (object.kind == ObjectKind::kString) return Target::Parse(context.text(object.text));
  RELAYOPT_TRY(TargetConfig config, ConfigOf(context, object, 0));
  return Target::FromConfig(std::move(config));
}

auto MakeTarget(Context& context, ObjectId from, ObjectId host) -> Result<ObjectId> {
  RELAYOPT_TRY(Target target, TargetOf(context, from));
  if (host) {
    RELAYOPT_TRY(Target of_host, TargetOf(context, host));
    target = target.WithHost(std::make_shared<const Target>(std::move(of_host)));
  }
  return AddTarget(context, target);
}

}  // namespace relayopt::tir
