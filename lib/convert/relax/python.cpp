// Writes values in Python syntax.
#include "python.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/tir/script/token.h"
#include "relayopt/core/tensor.h"
#include "relayopt/relay/eval/format.h"
#include "relayopt/support/characters.h"

namespace relayopt::relax {

namespace {

// Names that a module in TVMScript defines, and that are no words of Python.
constexpr std::string_view kTaken[] = {"C",       "I",     "INPUTS", "Module", "R",    "T",        "Tx",
                                       "TypeVar", "axis",  "cls",    "ir",     "load", "metadata", "np",
                                       "os",      "relax", "tir",    "tirx",   "tvm"};

auto PythonInt(const Dim& dim) -> std::optional<std::string> {
  return dim.is_int() ? std::optional(std::to_string(dim.value())) : std::nullopt;
}

auto Joined(const DimList& list) -> std::optional<std::string> {
  std::string out;
  for (const Dim& dim : list) {
    const auto number = PythonInt(dim);
    if (!number) return std::nullopt;
    out += (out.empty() ? "" : ", ") + *number;
  }
  return out;
}

auto PythonLists(const DimLists& lists) -> std::optional<std::string> {
  std::string out;
  for (const DimList& list : lists.values) {
    const auto inner = PythonList(list);
    if (!inner) return std::nullopt;
    out += (out.empty() ? "" : ", ") + *inner;
  }
  return "[" + out + "]";
}

// As FormatElement, in Python syntax.
auto PythonElement(const Tensor& tensor, int64_t i) -> std::string {
  const DataType dtype = tensor.dtype();
  if (dtype.is_bool()) return tensor.data<Bool>()[i] ? "True" : "False";
  if (dtype == kFloat32) return PythonFloat(static_cast<double>(tensor.data<float>()[i]));
  if (dtype == DataType::Float(64)) return PythonFloat(tensor.data<double>()[i]);
  if (dtype == DataType::Float(16)) return PythonFloat(static_cast<double>(static_cast<float>(tensor.data<Half>()[i])));
  if (dtype == DataType::BFloat(16)) {
    return PythonFloat(static_cast<double>(static_cast<float>(tensor.data<BFloat>()[i])));
  }
  return FormatElement(tensor, i);
}

}  // namespace

auto PythonFloat(double value) -> std::string {
  if (std::isnan(value)) return "float(\"nan\")";
  if (std::isinf(value)) return value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  std::string out = fmt::format("{}", value);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

auto PythonString(std::string_view text) -> std::string {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < ' ') {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

auto PythonList(const DimList& list) -> std::optional<std::string> {
  if (list.null) return std::nullopt;
  const auto inner = Joined(list);
  return inner ? std::optional("[" + *inner + "]") : std::nullopt;
}

auto PythonTuple(Shape shape) -> std::optional<std::string> {
  const auto inner = Joined(DimList(std::vector<Dim>(shape.begin(), shape.end())));
  if (!inner) return std::nullopt;
  return "(" + *inner + (shape.size() == 1 ? ",)" : ")");
}

auto PythonField(const FieldInfo& field, const void* record) -> std::optional<std::string> {
  switch (field.kind) {
    case FieldKind::kInt: return std::to_string(field.Get<int64_t>(record));
    case FieldKind::kBool: return field.Get<bool>(record) ? "True" : "False";
    case FieldKind::kDouble: return PythonFloat(field.Get<double>(record));
    case FieldKind::kString: {
      const auto& text = field.Get<std::string>(record);
      return text.empty() ? std::nullopt : std::optional(PythonString(text));
    }
    case FieldKind::kDataType: {
      const DataType dtype = field.Get<DataType>(record);
      return dtype.is_void() ? std::nullopt : std::optional(PythonString(ToString(dtype)));
    }
    case FieldKind::kDim: return PythonInt(field.Get<Dim>(record));
    case FieldKind::kDimList: return PythonList(field.Get<DimList>(record));
    case FieldKind::kDimLists: return PythonLists(field.Get<DimLists>(record));
    case FieldKind::kObject: return std::nullopt;
  }
  return std::nullopt;
}

auto PythonElements(const Constant& constant) -> std::string {
  const Tensor tensor(constant);
  if (tensor.rank() == 0) return PythonElement(tensor, 0);
  // Brackets open and close where a whole row, matrix, ... begins and ends.
  std::string out;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (i != 0) out += ", ";
    int64_t span = 1;
    size_t brackets = 0;
    for (size_t axis = tensor.rank(); axis-- > 0;) {
      span *= tensor.extent(axis);
      if (i % span == 0) ++brackets;
    }
    out += std::string(brackets, '[') + PythonElement(tensor, i);
    span = 1;
    for (size_t axis = tensor.rank(); axis-- > 0;) {
      span *= tensor.extent(axis);
      if ((i + 1) % span == 0) out += ']';
    }
  }
  return out;
}

auto PythonName(std::string_view name) -> std::string {
  std::string out;
  for (const char c : name) {
    if (IsDigit(c) && out.empty()) out += 'v';
    out += IsNameCharacter(c) ? c : '_';
  }
  if (out.empty()) out = "v";
  if (tir::IsKeyword(out) || std::ranges::find(kTaken, out) != std::end(kTaken)) out += '_';
  return out;
}

}  // namespace relayopt::relax
