#include "relayopt/object/packed_func.h"

#include <map>
#include <mutex>

namespace relayopt::object {
namespace {

constexpr DiagnosticKind kCallFailed{"call-failed", Severity::kError, "{}"};

struct Functions {
  std::mutex mutex;
  std::map<std::string, PackedFunc, std::less<>> by_name;
};

// Never destroyed, because registered functions may be called until the process ends.
auto AllFunctions() -> Functions& {
  static auto* const functions = new Functions();
  return *functions;
}

}  // namespace

auto TypeKeyOf(const Value& value) -> std::string {
  switch (value.tag()) {
    case Value::Tag::kNull: return "None";
    case Value::Tag::kInt: return "int";
    case Value::Tag::kFloat: return "float";
    case Value::Tag::kObject: return value.object()->type_key();
  }
  return {};
}

auto CallError(const std::string& text) -> Diagnostic { return MakeDiagnostic(kCallFailed, {}, text); }

namespace packed_internal {

auto Signature(std::string_view name, std::span<const std::string_view> args, std::string_view result) -> std::string {
  std::string text(name);
  text += '(';
  for (size_t i = 0; i < args.size(); ++i) {
    if (i != 0) text += ", ";
    text += fmt::format("{}: {}", i, args[i]);
  }
  return text + ") -> " + std::string(result);
}

auto WrongCount(const std::string& signature, size_t expected, size_t given) -> Diagnostic {
  return CallError(fmt::format("Function {} expects {} arguments, but {} were provided.", signature, expected, given));
}

auto WrongType(const std::string& signature, size_t index, std::string_view expected, const Value& given)
    -> Diagnostic {
  return CallError(fmt::format("In function {}: error while converting argument {}: expected {}, but got {}", signature,
                               index, expected, TypeKeyOf(given)));
}

}  // namespace packed_internal

auto Registry::Register(std::string_view name, PackedFunc function, bool override) -> bool {
  Functions& functions = AllFunctions();
  const std::lock_guard lock(functions.mutex);
  const auto [it, added] = functions.by_name.try_emplace(std::string(name), function);
  if (added) return true;
  if (override) it->second = std::move(function);
  return override;
}

auto Registry::Get(std::string_view name) -> PackedFunc {
  Functions& functions = AllFunctions();
  const std::lock_guard lock(functions.mutex);
  const auto found = functions.by_name.find(name);
  return found == functions.by_name.end() ? PackedFunc() : found->second;
}

auto Registry::Remove(std::string_view name) -> bool {
  Functions& functions = AllFunctions();
  const std::lock_guard lock(functions.mutex);
  const auto found = functions.by_name.find(name);
  if (found == functions.by_name.end()) return false;
  functions.by_name.erase(found);
  return true;
}

auto Registry::List() -> std::vector<std::string> {
  Functions& functions = AllFunctions();
  const std::lock_guard lock(functions.mutex);
  std::vector<std::string> names;
  names.reserve(functions.by_name.size());
  for (const auto& [name, function] : functions.by_name) names.push_back(name);
  return names;
}

}  // namespace relayopt::object
