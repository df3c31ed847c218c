// The versions of a module. Parts that a pass leaves alone are stored once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/text/module_lines.h"
#include "relayopt/support/json.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Collects versions of a module. Each function of each version is a *piece*: a list of lines that refer to records,
// which hold the text and what is known of the expression.
class ReportVersions {
 public:
  using Json = OrderedJson;

  // Adds a version; the number of it. The module must outlive this object.
  auto Add(const Module& module) -> size_t;
  // Returns the piece of an expression in a version and its line in it: its own, or that of its user.
  auto PlaceOf(size_t version, GlobalId id, ExprId expr) const -> Json;
  // Adds what was collected to the report.
  void AddTo(Json& report);

 private:
  struct Line {
    // FunctionLine describes the fields.
    uint32_t indent = 0;
    std::string text = {};
    std::vector<uint32_t> gaps;
    std::vector<uint32_t> numbers;
    bool defines = false;
    ExprId expr = {};
  };
  struct Piece {
    std::string name;
    GlobalFunctionRef function;
    std::vector<Line> lines;
    // The smallest number that the piece defines.
    uint32_t first_number = 0;
  };
  struct Version {
    const Module* module = nullptr;
    // Until the next version is there.
    std::optional<ModuleLines> lines;
    // The piece of each function, by name.
    absl::flat_hash_map<std::string, size_t> pieces;
  };

  // The smallest number that the lines define, or 0.
  static auto FirstNumber(const std::vector<Line>& lines) -> uint32_t;
  auto AddPiece(const Module& module, GlobalId id, std::vector<Line> lines) -> size_t;
  auto RecordOf(const Module& module, GlobalId id, const Line& line) -> size_t;
  auto Text(std::string_view text) -> size_t;
  // The positions in `origins` of the lines of a function; empty if origins are not tracked.
  auto OriginsOf(const Module& module, GlobalId id, const std::vector<Line>& lines) -> Json;
  // The lines of the expressions of a function.
  struct Places {
    size_t piece = 0;
    SideTable<ExprId, int64_t> line_of;
  };
  auto PlacesOf(const Version& version, GlobalId id) const -> Places;
  // The operators of the input: [name, layer or -1, line in the text or 0, piece, line in it].
  auto SourcesOf(const Version& version) -> Json;
  // The lines of the piece before that correspond: [line, line before, count, changed]...
  auto RunsOf(const Version& before, size_t base, const Version& now, size_t piece) -> Json;
  auto AlignedLines(const Version& before, size_t base, const Version& now, size_t piece)
      -> std::vector<std::tuple<size_t, size_t, bool>>;
  auto GraphOf(const Version& version) -> Json;

  std::vector<std::unique_ptr<Version>> versions_;
  std::vector<Piece> pieces_;
  Json version_list_ = Json::array();
  Json piece_list_ = Json::array();
  Json records_ = Json::array();
  absl::flat_hash_map<std::string, size_t> record_of_;
  Json strings_ = Json::array();
  absl::flat_hash_map<std::string, size_t> string_of_;
  // [sources, runs] each, with 1 after them if there are more sources.
  Json origins_ = Json::array();
  absl::flat_hash_map<std::string, size_t> origin_of_;
};

}  // namespace relayopt
