// Comments and data about the origins of expressions.
#include "relayopt/relay/text/origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "relayopt/relay/ops/op_def.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/support/json.h"

namespace relayopt {

namespace {

// An expression whose text ends with a line, and where it came from.
struct LineOrigin {
  PrintTrace::Place place;
  // The offset of the end of the line.
  size_t end = 0;
  Origin origin;
};

// Returns the lines that came from something, in the order of the text. Of several expressions that begin in a line, it
// shows the first one that came from something.
auto LineOrigins(const Module& module, std::string_view text, const PrintTrace& trace, size_t limit)
    -> std::vector<LineOrigin> {
  std::vector<LineOrigin> lines;
  for (const PrintTrace::Place& place : trace.places) {
    const Function& function = *module.function<Function>(place.function);
    // The line of a parameter or of the function itself is not a computation.
    if (function.kind(place.expr) == ExprKind::kVar || place.expr == function.root()) continue;
    const size_t end = std::min(text.find('\n', place.begin), text.size());
    if (!lines.empty() && lines.back().end == end) continue;
    Origin origin = FindOrigin(function, place.expr, limit);
    if (!origin.sources.empty()) lines.push_back({place, end, std::move(origin)});
  }
  return lines;
}

// Returns the names of the passes, each once.
auto PassNames(const OriginTable& table, const Origin& origin) -> std::vector<std::string_view> {
  std::vector<std::string_view> names;
  for (const uint32_t run : origin.runs) {
    const std::string_view name = table.runs()[run].pass;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

auto Comment(const Module& module, const Origin& origin) -> std::string {
  const auto& table = module.context().Part<OriginTable>();
  std::string out = "  // from ";
  std::string_view separator;
  for (const uint32_t number : origin.sources) {
    out += fmt::format("{}{}", separator, SourceName(module, table.sources()[number]));
    separator = ", ";
  }
  if (origin.has_more) out += ", ...";
  const std::vector<std::string_view> passes = PassNames(table, origin);
  if (!passes.empty()) out += fmt::format("; by {}", fmt::join(passes, ", "));
  // A layer may have any name.
  std::ranges::replace(out, '\n', ' ');
  return out;
}

// The printed Relay part of a module, and the rest of it.
struct TracedText {
  TracedText(const Module& module, PrintOptions options) {
    options.elide_constants_if_larger.reset();
    options.external_constants = nullptr;
    relay = PrintRelay(module, options, trace);
    const std::string whole = PrintModule(module, options);
    if (whole.starts_with(relay)) rest = whole.substr(relay.size());
  }

  PrintTrace trace;
  std::string relay;
  std::string rest;
};

}  // namespace

auto SourceWord(const OriginSource& source) -> std::string_view {
  const Function& function = *source.function;
  switch (function.kind(source.expr)) {
    case ExprKind::kOpCall: return function.op(source.expr)->name;
    case ExprKind::kIf: return "if";
    case ExprKind::kMatch: return "match";
    case ExprKind::kRefCreate: return "ref";
    case ExprKind::kRefRead: return "ref_read";
    case ExprKind::kRefWrite: return "ref_write";
    default: return "call";
  }
}

auto SourceLayer(const OriginSource& source) -> std::string_view {
  const Context& context = source.function->context();
  const SpanId span = source.function->span(source.expr);
  return span ? context.text(context.span(span).source) : std::string_view();
}

auto SourceName(const Module& module, const OriginSource& source) -> std::string {
  std::string out(SourceWord(source));
  const SourceRange range = source.function->range(source.expr);
  if (range.valid() && module.source() != nullptr) {
    const auto position = module.source()->Position(range.begin);
    out += fmt::format(" {}:{}", position.line, position.column);
  }
  if (const std::string_view layer = SourceLayer(source); !layer.empty()) out += fmt::format(" \"{}\"", layer);
  return out;
}

auto PrintWithOrigins(const Module& module, PrintOptions options) -> std::string {
  constexpr size_t kMostShown = 8;
  const TracedText text(module, options);
  std::string out;
  size_t at = 0;
  for (const LineOrigin& line : LineOrigins(module, text.relay, text.trace, kMostShown)) {
    out += std::string_view(text.relay).substr(at, line.end - at);
    out += Comment(module, line.origin);
    at = line.end;
  }
  out += std::string_view(text.relay).substr(at);
  return out + text.rest;
}

auto OriginsJson(const Module& module, PrintOptions options) -> std::string {
  using Json = OrderedJson;
  constexpr size_t kMostListed = 1000;
  const auto& table = module.context().Part<OriginTable>();
  Json sources = Json::array();
  for (const OriginSource& source : table.sources()) {
    Json entry = {{"function", fmt::format("@{}", module.name(source.global))}, {"operator", SourceWord(source)}};
    if (const std::string_view layer = SourceLayer(source); !layer.empty()) entry["layer"] = layer;
    const SourceRange range = source.function->range(source.expr);
    if (range.valid() && module.source() != nullptr) {
      const auto position = module.source()->Position(range.begin);
      entry["line"] = position.line;
      entry["column"] = position.column;
    }
    sources.push_back(std::move(entry));
  }
  Json passes = Json::array();
  for (const OriginRun& run : table.runs()) passes.push_back({{"name", run.pass}, {"number", run.number}});
  const TracedText text(module, options);
  Json expressions = Json::array();
  size_t number = 1;
  size_t at = 0;
  for (const LineOrigin& line : LineOrigins(module, text.relay, text.trace, kMostListed)) {
    number += static_cast<size_t>(std::count(text.relay.begin() + static_cast<ptrdiff_t>(at),
                                             text.relay.begin() + static_cast<ptrdiff_t>(line.place.begin), '\n'));
    at = line.place.begin;
    const Function& function = *module.function<Function>(line.place.function);
    Json entry = {{"function", fmt::format("@{}", module.name(line.place.function))}, {"line", number}};
    if (function.kind(line.place.expr) == ExprKind::kOpCall) entry["operator"] = function.op(line.place.expr)->name;
    entry["from"] = line.origin.sources;
    if (line.origin.has_more) entry["more"] = true;
    entry["by"] = line.origin.runs;
    expressions.push_back(std::move(entry));
  }
  const Json all = {{"version", 1},
                    {"sources", std::move(sources)},
                    {"passes", std::move(passes)},
                    {"expressions", std::move(expressions)}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace relayopt
