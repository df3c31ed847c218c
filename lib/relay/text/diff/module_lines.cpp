// Cuts the printed text of a module into the lines of its functions.
//
//   %3 = nn.conv2d(%2, meta[relay.Constant][7], padding=[1, 1, 1, 1])
//   becomes  `% = nn.conv2d(%, meta[relay.Constant], padding=[1, 1, 1, 1])`, gaps 1 and 15, numbers 3 and 2
#include "relayopt/relay/text/module_lines.h"

#include <algorithm>
#include <string_view>

#include "function_view.h"

namespace relayopt {

namespace {

// Appends a piece of a line without the positions of constants in the metadata section.
void AppendWithoutPositions(std::string& out, std::string_view piece) {
  constexpr std::string_view kConstant = "meta[relay.Constant]";
  while (true) {
    const size_t at = piece.find(kConstant);
    if (at == std::string_view::npos) break;
    const size_t end = piece.find(']', at + kConstant.size());
    if (end == std::string_view::npos) break;
    out += piece.substr(0, at + kConstant.size());
    piece.remove_prefix(end + 1);
  }
  out += piece;
}

class LineCutter {
 public:
  LineCutter(const Module& module, const PrintedModule& printed, const PrintTrace& trace)
      : module_(module), text_(printed.text), trace_(trace) {}

  // The lines of all functions. Places are in the order of the text.
  auto Run() -> std::vector<FunctionLines> {
    while (place_ < trace_.places.size()) {
      const GlobalId id = trace_.places[place_].function;
      FunctionLines function{.function = id, .lines = {}};
      size_t begin = LineBegin(trace_.places[place_].begin);
      while (true) {
        const size_t end = std::min(text_.find('\n', begin), text_.size());
        function.lines.push_back(Cut(id, begin, end));
        // A function ends with a brace at the beginning of a line.
        if (text_[begin] == '}' || end == text_.size()) break;
        begin = end + 1;
      }
      // Expressions after the end of the function cannot be shown.
      while (place_ < trace_.places.size() && trace_.places[place_].function == id) ++place_;
      result_.push_back(std::move(function));
    }
    return std::move(result_);
  }

 private:
  auto LineBegin(size_t offset) const -> size_t {
    const size_t before = offset == 0 ? std::string::npos : text_.rfind('\n', offset - 1);
    return before == std::string::npos ? 0 : before + 1;
  }

  auto Cut(GlobalId id, size_t begin, size_t end) -> FunctionLine {
    FunctionLine line;
    const Function& function = *module_.function<Function>(id);
    for (; place_ < trace_.places.size(); ++place_) {
      const PrintTrace::Place& place = trace_.places[place_];
      if (place.function != id || place.begin >= end) break;
      // A parameter belongs to the line of its function.
      if (!line.expr || function.kind(line.expr) == ExprKind::kVar) line.expr = place.expr;
    }
    size_t from = std::min(text_.find_first_not_of(' ', begin), end);
    line.indent = static_cast<uint32_t>(from - begin);
    while (number_ < trace_.numbers.size() && trace_.numbers[number_].begin < begin) ++number_;
    for (; number_ < trace_.numbers.size() && trace_.numbers[number_].begin < end; ++number_) {
      const PrintTrace::Number& number = trace_.numbers[number_];
      AppendWithoutPositions(line.text, std::string_view(text_).substr(from, number.begin + 1 - from));
      if (line.numbers.empty()) line.defines = number.is_definition;
      line.gaps.push_back(static_cast<uint32_t>(line.text.size()));
      uint32_t value = 0;
      for (size_t i = number.begin + 1; i < number.end; ++i) value = value * 10 + static_cast<uint32_t>(text_[i] - '0');
      line.numbers.push_back(value);
      from = number.end;
    }
    AppendWithoutPositions(line.text, std::string_view(text_).substr(from, end - from));
    return line;
  }

  const Module& module_;
  const std::string& text_;
  const PrintTrace& trace_;
  size_t place_ = 0;
  size_t number_ = 0;
  std::vector<FunctionLines> result_;
};

}  // namespace

ModuleLines::ModuleLines(const Module& module) : module_(&module), printed_(std::make_unique<PrintedModule>(module)) {
  functions_ = LineCutter(module, *printed_, printed_->trace).Run();
}

ModuleLines::ModuleLines(ModuleLines&&) noexcept = default;
auto ModuleLines::operator=(ModuleLines&&) noexcept -> ModuleLines& = default;
ModuleLines::~ModuleLines() = default;

}  // namespace relayopt
