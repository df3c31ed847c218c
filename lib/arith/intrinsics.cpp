// Intrinsics and the numbers of their operands.
#include "relayopt/arith/intrinsics.h"

#include <algorithm>

namespace relayopt::arith {

auto IntrinsicArity::text() const -> std::string {
  if (max == SIZE_MAX) return "at least " + std::to_string(min);
  return min == max ? std::to_string(min) : "from " + std::to_string(min) + " to " + std::to_string(max);
}

auto IntrinsicRow::arity() const -> IntrinsicArity {
  std::string_view params = arguments.substr(1, arguments.size() - 2);
  if (const size_t semicolon = params.find(';'); semicolon != std::string_view::npos) {
    params = dtype_argument == DTypeArgument::kLast ? params.substr(0, semicolon) : params.substr(semicolon + 1);
  }
  IntrinsicArity arity;
  bool is_optional = false;
  while (!params.empty()) {
    const size_t comma = std::min(params.find(','), params.size());
    const std::string_view param = params.substr(0, comma);
    params.remove_prefix(std::min(comma + 1, params.size()));
    if (param.find("...") != std::string_view::npos) {
      arity.max = SIZE_MAX;
    } else {
      if (!is_optional) ++arity.min;
      if (arity.max != SIZE_MAX) ++arity.max;
    }
    // `a[, b]`: the bracket is before the comma.
    is_optional |= param.find('[') != std::string_view::npos;
  }
  return arity;
}

auto FindIntrinsic(std::string_view name) -> const IntrinsicRow* {
  const auto rows = Intrinsics();
  const auto row = std::ranges::lower_bound(rows, name, {}, &IntrinsicRow::name);
  return row != rows.end() && row->name == name ? &*row : nullptr;
}

auto FindPrintedIntrinsic(std::string_view printed) -> const IntrinsicRow* {
  constexpr std::string_view kPrefix = "tir.";
  std::string name(printed.starts_with(kPrefix) ? printed : "");
  if (name.empty()) name = std::string(kPrefix) + std::string(printed);
  const IntrinsicRow* row = FindIntrinsic(name);
  if (row != nullptr && row->printed == printed) return row;
  // The packed calls print without `tvm_`.
  row = FindIntrinsic(std::string(kPrefix) + "tvm_" + std::string(printed));
  return row != nullptr && row->printed == printed ? row : nullptr;
}

}  // namespace relayopt::arith
