// Reading text of modules with functions of several kinds.
#include "relayopt/convert/module_text.h"

#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/tir/script/module_text.h"

namespace relayopt {

namespace {

// Returns the offset of the line `#[tir]`; npos when there is none.
auto FindTirSection(std::string_view text) -> size_t {
  constexpr std::string_view kSection = "#[tir]";
  for (size_t at = text.find(kSection); at != std::string_view::npos; at = text.find(kSection, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return at;
  }
  return std::string_view::npos;
}

}  // namespace

auto ReadModuleText(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink, const ReadOptions& options,
                    std::shared_ptr<Context> context) -> std::optional<Module> {
  if (context == nullptr) context = std::make_shared<Context>();
  const std::string_view text = source->text();
  if (tir::IsScript(text)) {
    Module module(std::move(context));
    if (!tir::ReadInto(module, source, sink)) return std::nullopt;
    return module;
  }
  const size_t section = FindTirSection(text);
  if (section == std::string_view::npos) return ReadModule(source, std::move(context), sink, options);
  // The first part keeps its positions when the rest is cut off.
  const auto relay = SourceText::FromString(source->name(), std::string(text.substr(0, section)));
  std::optional<Module> module = ReadModule(relay, std::move(context), sink, options);
  const size_t errors = sink.errors();
  Module unread;
  const size_t begin = std::min(text.find('\n', section), text.size());
  const bool fine = tir::ReadInto(module ? *module : unread, source, sink, static_cast<uint32_t>(begin));
  if (!fine || sink.errors() != errors) return std::nullopt;
  return module;
}

auto TextKindOf(std::string_view text) -> const FunctionKindDef& {
  return tir::IsScript(text) ? tir::kPrimFuncKind : kRelayFunctionKind;
}

}  // namespace relayopt
