// Names extents, computes them, and writes them as text.
#include "extents.h"

#include <fmt/format.h>

namespace relayopt::relax {

auto Wide(std::string_view value) -> std::string { return fmt::format("R.astype({}, \"int64\")", value); }

auto WideConst(int64_t value) -> std::string { return fmt::format("R.const({}, \"int64\")", value); }

auto AsTensor(std::span<const std::string> extents) -> std::string {
  return fmt::format("R.shape_to_tensor({})", ShapeText(extents));
}

auto Named(const RelaxCall& call, std::string_view tensor, size_t count) -> Extents {
  Extents names;
  for (size_t i = 0; i < count; ++i) names.push_back(call.lines().NewExtent());
  call.lines().Bind(fmt::format("R.match_cast(R.tensor_to_shape({}), R.Shape([{}]))", tensor, fmt::join(names, ", ")));
  return names;
}

auto NamedArgument(const RelaxCall& call, size_t i) -> std::optional<Extents> {
  const Type* type = call.input(i);
  if (type == nullptr) return std::nullopt;
  // Each extent gets a name.
  constexpr int64_t kMostNamed = 1024;
  int64_t count = 1;
  for (const Dim& dim : type->shape) {
    if (!dim.is_int() || dim.value() < 0 || dim.value() > kMostNamed) return std::nullopt;
    count *= dim.value();
    if (count > kMostNamed) return std::nullopt;
  }
  const std::string flat = fmt::format("R.reshape({}, ({},))", Wide(call.args[i]), count);
  return Named(call, flat, static_cast<size_t>(count));
}

auto Times(const std::string& a, const std::string& b) -> std::string {
  if (a == "1") return b;
  if (b == "1") return a;
  const auto part = [](const std::string& text) {
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  };
  return part(a) + " * " + part(b);
}

auto Plus(const std::string& a, const std::string& b) -> std::string { return a + " + " + b; }

auto Shaped(const RelaxCall& call, std::string value, Extents extents) -> Text {
  call.lines().SetExtents(std::move(extents));
  return value;
}

auto Reshaped(const RelaxCall& call, std::string_view data, const Extents& extents) -> Text {
  return Shaped(call, fmt::format("R.reshape({}, {})", data, ShapeText(extents)), extents);
}

auto BroadcastTo(const RelaxCall& call, const Extents& extents) -> Text {
  const Extents given = call.extents(0);
  if (given.size() > extents.size()) return std::nullopt;
  std::string data = call.args[0];
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string& wanted = extents[extents.size() - given.size() + i];
    const bool is_number = given[i].find_first_not_of("0123456789") == std::string::npos;
    if (is_number || given[i] == wanted) continue;
    data = call.lines().Bind(
        fmt::format("R.take({}, R.arange(0, {}, 1, dtype=\"int64\"), axis={}, mode=\"clip\")", data, wanted, i));
  }
  return Shaped(call, fmt::format("R.broadcast_to({}, {})", data, ShapeText(extents)), extents);
}

}  // namespace relayopt::relax
