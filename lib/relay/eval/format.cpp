// Prints values.
#include "relayopt/relay/eval/format.h"

#include <fmt/format.h>

#include <variant>

namespace relayopt {

namespace {

template <typename T>
auto Number(const Tensor& tensor, int64_t i) -> std::string {
  using C = std::conditional_t<sizeof(T) == 2 && !std::is_integral_v<T>, float, T>;
  const C number = tensor.data<T>()[i];
  // The sign of NaN depends on the processor.
  if constexpr (std::is_floating_point_v<C>) {
    if (std::isnan(number)) return "nan";
  }
  return fmt::format("{}", number);
}

constexpr int64_t kShown = 8;

void AppendTensor(std::string& text, const Tensor& tensor, int64_t max_elements) {
  if (tensor.rank() == 0) {
    text += FormatElement(tensor, 0);
    return;
  }
  const bool all = tensor.size() <= max_elements;
  if (!all || tensor.size() == 0) {
    text += '[';
    for (int64_t i = 0; i < std::min(tensor.size(), kShown); ++i) text += FormatElement(tensor, i) + ", ";
    if (!all)
      text += fmt::format("...] ({} elements)", tensor.size());
    else
      text += ']';
    return;
  }
  // Before an element as many brackets open as axes start with it, and after it as many close as axes end.
  for (int64_t i = 0; i < tensor.size(); ++i) {
    int64_t run = 1;
    std::string open;
    std::string close;
    for (size_t axis = tensor.rank(); axis-- > 0;) {
      run *= tensor.extent(axis);
      if (i % run == 0) open += '[';
      if ((i + 1) % run == 0) close += ']';
    }
    text.append(i == 0 ? "" : ", ").append(open).append(FormatElement(tensor, i)).append(close);
  }
}

}  // namespace

auto FormatElement(const Tensor& tensor, int64_t i) -> std::string {
  const DataType dtype = tensor.dtype();
  if (dtype.is_bool()) return tensor.data<Bool>()[i] ? "True" : "False";
  if (dtype == DataType::Float(32)) return Number<float>(tensor, i);
  if (dtype == DataType::Float(64)) return Number<double>(tensor, i);
  if (dtype == DataType::Float(16)) return Number<Half>(tensor, i);
  if (dtype == DataType::BFloat(16)) return Number<BFloat>(tensor, i);
  const bool is_signed = dtype.is_int();
  switch (dtype.bytes()) {
    case 1: return is_signed ? Number<int8_t>(tensor, i) : Number<uint8_t>(tensor, i);
    case 2: return is_signed ? Number<int16_t>(tensor, i) : Number<uint16_t>(tensor, i);
    case 4: return is_signed ? Number<int32_t>(tensor, i) : Number<uint32_t>(tensor, i);
    case 8: return is_signed ? Number<int64_t>(tensor, i) : Number<uint64_t>(tensor, i);
    default: return "?";
  }
}

auto FormatValue(const Module& module, const Value& root, int64_t max_elements) -> std::string {
  std::string text;
  // The pieces that are still to be written, in reverse order.
  std::vector<std::variant<Value, std::string>> pending = {root};
  int64_t parts = 0;
  while (!pending.empty()) {
    const auto next = std::move(pending.back());
    pending.pop_back();
    if (const auto* literal = std::get_if<std::string>(&next)) {
      text += *literal;
      continue;
    }
    const Value& value = std::get<Value>(next);
    if (++parts > max_elements) {
      text += "...";
      break;
    }
    std::string open = "(";
    switch (value.kind()) {
      case ValueKind::kNone: text += "<none>"; continue;
      case ValueKind::kTensor: AppendTensor(text, value.tensor(), max_elements); continue;
      case ValueKind::kClosure:
      case ValueKind::kConstructor:
      case ValueKind::kOp: text += "<function>"; continue;
      case ValueKind::kTuple: break;
      case ValueKind::kRef: open = "ref("; break;
      case ValueKind::kData:
        open = module.context().text(module.constructor(value.object().ctor).name);
        if (!value.fields().empty()) open += '(';
        break;
    }
    const auto fields = value.fields();
    const bool closes = value.kind() != ValueKind::kData || !fields.empty();
    // A tuple of one field keeps its comma.
    const bool single = value.kind() == ValueKind::kTuple && fields.size() == 1;
    text += open;
    if (closes) pending.emplace_back(std::string(single ? ",)" : ")"));
    for (size_t i = fields.size(); i-- > 0;) {
      pending.emplace_back(fields[i]);
      if (i != 0) pending.emplace_back(std::string(", "));
    }
  }
  return text;
}

}  // namespace relayopt
