// Collects the versions of a module.
//
//   version 0: @main = piece 0        piece 0: lines 0 to 40
//   version 1: @main = piece 1        piece 1: lines 0 to 38, base 0, runs [0, 0, 20, 0] and [20, 23, 18, 0]:
//                                     20 lines from line 0 on, and 18 from line 23 on, are those of piece 0
#include "versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "absl/hash/hash.h"
#include "lib/convert/loop_nests.h"
#include "relayopt/module/print.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/ir/provenance.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/relay/text/graph_layout.h"
#include "relayopt/relay/text/origins.h"
#include "relayopt/support/align.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

auto FunctionOf(const Module& module, GlobalId id) -> const Function* { return module.function<Function>(id); }

// The lines of a text as hashes, without indentation, which changes when a loop comes or goes.
template <typename Lines>
auto LineKeys(const Lines& lines) -> std::vector<uint64_t> {
  return MapToVector<uint64_t>(lines, [&](const auto& line) { return absl::HashOf(line.text); });
}

// Returns the layer and the operator of a call; the layer is empty if it is unknown.
auto LayerKey(const Function& function, ExprId expr) -> std::pair<std::string_view, const OpDef*> {
  if (!expr || function.kind(expr) != ExprKind::kOpCall || !function.span(expr)) return {};
  const Context& context = function.context();
  return {context.text(context.span(function.span(expr)).source), function.op(expr)};
}

// Adds pairs of lines, from `begin_a` and `begin_b` on, that show operators of the same layer of the original model.
template <typename Lines, typename Pairs>
void AlignLayers(const Function& function_a, Lines a, size_t begin_a, const Function& function_b, Lines b,
                 size_t begin_b, Pairs& aligned) {
  // The lines of each layer, the first one last.
  absl::flat_hash_map<std::pair<std::string_view, const OpDef*>, std::vector<size_t>> layers;
  for (size_t i = a.size(); i-- > begin_a;) {
    if (const auto key = LayerKey(function_a, a[i].expr); !key.first.empty()) layers[key].push_back(i);
  }
  size_t least = begin_a;
  for (size_t i = begin_b; i < b.size() && !layers.empty(); ++i) {
    const auto found = layers.find(LayerKey(function_b, b[i].expr));
    if (found == layers.end()) continue;
    std::vector<size_t>& lines = found->second;
    while (!lines.empty() && lines.back() < least) lines.pop_back();
    if (lines.empty()) continue;
    least = lines.back() + 1;
    aligned.emplace_back(lines.back(), i, false);
  }
}

}  // namespace

auto ReportVersions::FirstNumber(const std::vector<Line>& lines) -> uint32_t {
  uint32_t first = UINT32_MAX;
  for (const Line& line : lines) {
    if (line.defines) first = std::min(first, line.numbers.front());
  }
  return first == UINT32_MAX ? 0 : first;
}

auto ReportVersions::Add(const Module& module) -> size_t {
  auto version = std::make_unique<Version>(Version{&module, ModuleLines(module), {}});
  Json functions = Json::array();
  absl::flat_hash_map<GlobalId, const FunctionLines*> printed;
  for (const FunctionLines& function : version->lines->functions()) printed[function.function] = &function;
  for (const GlobalId id : module.SortedFunctions()) {
    std::vector<Line> lines;
    if (const auto found = printed.find(id); found != printed.end()) {
      for (const FunctionLine& line : found->second->lines)
        lines.push_back({line.indent, line.text, line.gaps, line.numbers, line.defines, line.expr});
    } else {
      const std::string text = PrintFunction(module, id);
      for (std::string_view rest = text; !rest.empty();) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        const size_t indent = std::min(rest.find_first_not_of(' '), end);
        lines.push_back({.indent = static_cast<uint32_t>(indent),
                         .text = std::string(rest.substr(indent, end - indent)),
                         .gaps = {},
                         .numbers = {}});
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    const uint32_t first = FirstNumber(lines);
    const std::string name(module.name(id));
    size_t piece = pieces_.size();
    const Version* before = versions_.empty() ? nullptr : versions_.back().get();
    const auto base = before == nullptr ? decltype(before->pieces.end())() : before->pieces.find(name);
    const bool has_base = before != nullptr && base != before->pieces.end();
    if (has_base && pieces_[base->second].function == module.function(id)) {
      piece = base->second;
    } else {
      AddPiece(module, id, std::move(lines));
      if (has_base) {
        piece_list_.back()["base"] = base->second;
        piece_list_.back()["runs"] = RunsOf(*before, base->second, *version, piece);
      }
    }
    version->pieces[name] = piece;
    functions.push_back(Json::array({piece, first}));
  }
  // Only the next version is compared with it.
  if (!versions_.empty()) versions_.back()->lines.reset();
  versions_.push_back(std::move(version));
  version_list_.push_back({{"functions", std::move(functions)}, {"graph", GraphOf(*versions_.back())}});
  return versions_.size() - 1;
}

auto ReportVersions::AddPiece(const Module& module, GlobalId id, std::vector<Line> lines) -> size_t {
  Piece piece{.name = std::string(module.name(id)), .function = module.function(id), .lines = std::move(lines)};
  piece.first_number = FirstNumber(piece.lines);
  Json list = Json::array();
  for (const Line& line : piece.lines) {
    const size_t record = RecordOf(module, id, line);
    if (line.numbers.empty()) {
      list.push_back(record);
      continue;
    }
    Json entry = Json::array({record});
    for (const uint32_t number : line.numbers) entry.push_back(int64_t{number} - int64_t{piece.first_number});
    list.push_back(std::move(entry));
  }
  piece_list_.push_back({{"name", "@" + piece.name}, {"lines", std::move(list)}});
  if (Json origins = OriginsOf(module, id, piece.lines); !origins.empty())
    piece_list_.back()["origins"] = std::move(origins);
  pieces_.push_back(std::move(piece));
  return pieces_.size() - 1;
}

auto ReportVersions::Text(std::string_view text) -> size_t {
  const auto [entry, is_new] = string_of_.try_emplace(std::string(text), strings_.size());
  if (is_new) strings_.push_back(text);
  return entry->second;
}

auto ReportVersions::RecordOf(const Module& module, GlobalId id, const Line& line) -> size_t {
  Json record = {{"t", line.text}};
  if (line.indent != 0) record["i"] = line.indent;
  if (!line.gaps.empty()) record["g"] = line.gaps;
  if (line.defines) record["d"] = 1;
  const Function* function = FunctionOf(module, id);
  if (function != nullptr && line.expr) {
    const ExprId expr = line.expr;
    if (function->kind(expr) == ExprKind::kOpCall) {
      record["o"] = Text(function->op(expr)->name);
      if (const auto macs = CallMacs(*function, expr); macs && *macs != 0) record["m"] = *macs;
    } else if (function->kind(expr) == ExprKind::kFunction && expr != function->root()) {
      record["o"] = Text(ComputationName(*function, expr));
    }
    if (function->kind(expr) != ExprKind::kFunction) {
      if (const std::string type = ShortTypeText(module.context(), function->type(expr)); !type.empty())
        record["y"] = Text(type);
    }
    if (const SpanId span = function->span(expr))
      record["s"] = Text(module.context().text(module.context().span(span).source));
    if (const SourceRange range = function->range(expr); range.valid() && module.source() != nullptr)
      record["l"] = module.source()->Position(range.begin).line;
  }
  const auto [entry, is_new] =
      record_of_.try_emplace(record.dump(-1, ' ', false, Json::error_handler_t::replace), records_.size());
  if (is_new) records_.push_back(std::move(record));
  return entry->second;
}

auto ReportVersions::OriginsOf(const Module& module, GlobalId id, const std::vector<Line>& lines) -> Json {
  constexpr size_t kMostSources = 64;
  const Function* function = FunctionOf(module, id);
  Json list = Json::array();
  if (function == nullptr || !function->tracks_origins()) return list;
  for (const Line& line : lines) {
    // Function literals are shown as what is inside of them.
    const bool has_own = line.expr && line.expr != function->root();
    const Origin origin = has_own ? FindOrigin(*function, line.expr, kMostSources) : Origin();
    Json entry = Json::array({origin.sources, origin.runs});
    if (origin.has_more) entry.push_back(1);
    const auto [known, is_new] = origin_of_.try_emplace(entry.dump(), origins_.size());
    if (is_new) origins_.push_back(std::move(entry));
    list.push_back(known->second);
  }
  return list;
}

auto ReportVersions::PlacesOf(const Version& version, GlobalId id) const -> Places {
  const Function& function = *FunctionOf(*version.module, id);
  Places places{version.pieces.at(std::string(version.module->name(id))), {}};
  SideTable<ExprId, int64_t>& line_of = places.line_of;
  line_of.resize(function.size(), -1);
  const std::vector<Line>& lines = pieces_[places.piece].lines;
  for (size_t i = lines.size(); i-- > 0;) {
    if (lines[i].expr) line_of[lines[i].expr] = static_cast<int64_t>(i);
  }
  for (const ExprId expr : function.ids_to_root().reversed()) {
    for (const ExprId operand : function.operands(expr)) {
      if (line_of[operand] < 0) line_of[operand] = line_of[expr];
    }
  }
  return places;
}

auto ReportVersions::PlaceOf(size_t version, GlobalId id, ExprId expr) const -> Json {
  const Places places = PlacesOf(*versions_[version], id);
  return Json::array({places.piece, places.line_of[expr]});
}

auto ReportVersions::SourcesOf(const Version& version) -> Json {
  const Module& module = *version.module;
  absl::flat_hash_map<GlobalId, Places> places;
  for (const GlobalId id : module.SortedFunctions<Function>()) places.try_emplace(id, PlacesOf(version, id));
  Json sources = Json::array();
  for (const OriginSource& source : module.context().Part<OriginTable>().sources()) {
    const std::string_view layer = SourceLayer(source);
    const SourceRange range = source.function->range(source.expr);
    const bool is_known = range.valid() && module.source() != nullptr;
    Json entry = Json::array({Text(SourceWord(source)), layer.empty() ? -1 : static_cast<int64_t>(Text(layer)),
                              is_known ? module.source()->Position(range.begin).line : 0});
    if (const auto found = places.find(source.global); found != places.end()) {
      entry.push_back(found->second.piece);
      entry.push_back(found->second.line_of[source.expr]);
    }
    sources.push_back(std::move(entry));
  }
  return sources;
}

auto ReportVersions::AlignedLines(const Version& before, size_t base, const Version& now, size_t piece)
    -> std::vector<std::tuple<size_t, size_t, bool>> {
  const std::vector<Line>& a = pieces_[base].lines;
  const std::vector<Line>& b = pieces_[piece].lines;
  std::vector<std::tuple<size_t, size_t, bool>> aligned;
  const GlobalId id_a = before.module->FindGlobal(pieces_[base].name);
  const GlobalId id_b = now.module->FindGlobal(pieces_[piece].name);
  if (FunctionOf(*before.module, id_a) == nullptr || FunctionOf(*now.module, id_b) == nullptr) {
    for (const auto& [in_a, in_b] : Align(LineKeys(a), LineKeys(b)))
      aligned.emplace_back(in_a, in_b, a[in_a].indent == b[in_b].indent && a[in_a].text == b[in_b].text);
    return aligned;
  }
  absl::flat_hash_map<ExprId, size_t> line_a;
  absl::flat_hash_map<ExprId, size_t> line_b;
  for (size_t i = 0; i < a.size(); ++i) line_a.try_emplace(a[i].expr, i);
  for (size_t i = 0; i < b.size(); ++i) line_b.try_emplace(b[i].expr, i);
  size_t next_a = 0;
  size_t next_b = 0;
  const Function& function_a = *FunctionOf(*before.module, id_a);
  const Function& function_b = *FunctionOf(*now.module, id_b);
  // Lines that match by structure divide the texts. In between, layers match by name, and so do braces right after, or
  // right before, lines that match.
  const auto add_braces = [&](size_t end_a, size_t end_b) {
    while (next_a < end_a && next_b < end_b && !a[next_a].expr && !b[next_b].expr && a[next_a].text == b[next_b].text)
      aligned.emplace_back(next_a++, next_b++, true);
    size_t last_a = end_a;
    size_t last_b = end_b;
    while (last_a > next_a && last_b > next_b && !a[last_a - 1].expr && !b[last_b - 1].expr &&
           a[last_a - 1].text == b[last_b - 1].text) {
      --last_a;
      --last_b;
    }
    AlignLayers(function_a, std::span(a).subspan(0, last_a), next_a, function_b, std::span(b).subspan(0, last_b),
                next_b, aligned);
    for (; last_a < end_a; ++last_a, ++last_b) aligned.emplace_back(last_a, last_b, true);
  };
  for (const AlignedExprs& pair : AlignFunctions(*before.lines, id_a, *now.lines, id_b)) {
    const auto in_a = line_a.find(pair.before);
    const auto in_b = line_b.find(pair.after);
    if (in_a == line_a.end() || in_b == line_b.end() || in_a->second < next_a || in_b->second < next_b) continue;
    add_braces(in_a->second, in_b->second);
    aligned.emplace_back(in_a->second, in_b->second, pair.is_same);
    next_a = in_a->second + 1;
    next_b = in_b->second + 1;
  }
  add_braces(a.size(), b.size());
  return aligned;
}

auto ReportVersions::RunsOf(const Version& before, size_t base, const Version& now, size_t piece) -> Json {
  Json runs = Json::array();
  std::array<size_t, 4> run{};
  const auto flush = [&] {
    if (run[2] != 0) runs.push_back(run);
  };
  for (const auto& [in_a, in_b, is_same] : AlignedLines(before, base, now, piece)) {
    const size_t changed = is_same ? 0 : 1;
    if (run[2] != 0 && in_b == run[0] + run[2] && in_a == run[1] + run[2] && changed == run[3]) {
      ++run[2];
      continue;
    }
    flush();
    run = {in_b, in_a, 1, changed};
  }
  flush();
  return runs;
}

auto ReportVersions::GraphOf(const Version& version) -> Json {
  Graph whole = MakeGraph(*version.module);
  AddLoopNests(*version.module, whole);
  const Graph graph = CondenseGraph(whole);
  const GraphLayout layout = LayOutGraph(graph);
  absl::flat_hash_map<std::pair<GlobalId, ExprId>, std::pair<size_t, size_t>> line_of;
  for (const auto& [name, number] : version.pieces) {
    const Piece& piece = pieces_[number];
    const GlobalId id = version.module->FindGlobal(name);
    for (size_t i = 0; i < piece.lines.size(); ++i) {
      if (piece.lines[i].expr) line_of.try_emplace({id, piece.lines[i].expr}, number, i);
    }
  }
  Json nodes = Json::array();
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    const LayoutBox& box = layout.nodes[i];
    Json entry = Json::array({Text(node.label), static_cast<int>(node.kind), box.x, box.y, box.width, Text(node.type)});
    const GlobalId global = node.function == GraphFunction::kTop ? GlobalId() : graph.functions[node.function].global;
    const auto line = line_of.find({global, node.expr});
    const bool is_known = global && node.expr && line != line_of.end();
    if (is_known || node.macs != 0) {
      entry.push_back(is_known ? static_cast<int64_t>(line->second.first) : -1);
      entry.push_back(is_known ? static_cast<int64_t>(line->second.second) : -1);
    }
    if (node.macs != 0) entry.push_back(node.macs);
    nodes.push_back(std::move(entry));
  }
  Json edges = Json::array();
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    Json entry = Json::array({graph.edges[i].from, graph.edges[i].to});
    const std::vector<LayoutPoint>& points = layout.edges[i];
    for (size_t p = 1; p + 1 < points.size(); ++p) {
      entry.push_back(points[p].x);
      entry.push_back(points[p].y);
    }
    edges.push_back(std::move(entry));
  }
  Json boxes = Json::array();
  for (size_t i = 0; i < graph.functions.size(); ++i) {
    const LayoutBox& box = layout.functions[i];
    boxes.push_back(Json::array({Text(graph.functions[i].label), box.x, box.y, box.width, box.height}));
  }
  return {{"width", layout.width},
          {"height", layout.height},
          {"nodes", std::move(nodes)},
          {"edges", std::move(edges)},
          {"boxes", std::move(boxes)}};
}

void ReportVersions::AddTo(Json& report) {
  if (!origins_.empty()) {
    report["sources"] = SourcesOf(*versions_.front());
    Json runs = Json::array();
    for (const OriginRun& run : versions_.front()->module->context().Part<OriginTable>().runs())
      runs.push_back(run.number);
    report["runs"] = std::move(runs);
    report["origins"] = std::move(origins_);
  }
  report["versions"] = std::move(version_list_);
  report["pieces"] = std::move(piece_list_);
  report["records"] = std::move(records_);
  report["strings"] = std::move(strings_);
}

}  // namespace relayopt
