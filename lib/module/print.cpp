// Puts the text of a module together from the parts that the kinds of its functions print.
#include "relayopt/module/print.h"

#include <fmt/core.h>

#include "relayopt/support/check.h"

namespace relayopt {

namespace {

// Passes text on, and knows whether a line has just ended.
class LineSink final : public TextSink {
 public:
  explicit LineSink(TextSink& sink) : sink_(sink) {}
  void Write(std::string_view text) override {
    if (!text.empty()) at_line_start_ = text.back() == '\n';
    sink_.Write(text);
  }
  auto at_line_start() const -> bool { return at_line_start_; }

 private:
  TextSink& sink_;
  bool at_line_start_ = true;
};

// Returns the kinds that a module has something of; the first of all when there is nothing at all.
auto PrintedKinds(const Module& module) -> std::vector<const FunctionKindDef*> {
  const auto kinds = FunctionKinds();
  RELAYOPT_CHECK(!kinds.empty(), "kinds of functions are registered before a module is printed: see RegisterAllPasses");
  std::vector<const FunctionKindDef*> printed;
  for (const FunctionKindDef* def : kinds) {
    if (module.Has(*def->kind) || (def->has_declarations != nullptr && def->has_declarations(module))) {
      printed.push_back(def);
    }
  }
  if (printed.empty()) printed.push_back(kinds.front());
  return printed;
}

}  // namespace

auto TextKindOf(const Module& module) -> const FunctionKindDef& { return *PrintedKinds(module).front(); }

void PrintModule(const Module& module, const PrintOptions& options, TextSink& sink) {
  const std::vector<const FunctionKindDef*> kinds = PrintedKinds(module);
  if (kinds.size() == 1) return kinds.front()->print_module(module, options, sink);
  LineSink lines(sink);
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (i != 0) lines.Write(fmt::format("{}\n#[{}]\n", lines.at_line_start() ? "" : "\n", kinds[i]->kind->name));
    kinds[i]->print_module(module, options, lines);
  }
}

auto PrintModule(const Module& module, const PrintOptions& options) -> std::string {
  StringSink sink;
  PrintModule(module, options, sink);
  return std::move(sink.text());
}

auto PrintFunction(const Module& module, GlobalId function, const PrintOptions& options) -> std::string {
  const GlobalFunctionRef& printed = module.function(function);
  const FunctionKindDef& def = printed == nullptr ? *FunctionKinds().front() : DefOf(printed->function_kind());
  StringSink sink;
  def.print_function(module, function, options, sink);
  return std::move(sink.text());
}

}  // namespace relayopt
