// Renders the tables of passes and operators: as lists, help and pages of documentation.
#include "lists.h"

#include <fmt/format.h>

#include <filesystem>

#include "arith.h"
#include "flag_help.h"
#include "output.h"
#include "pass_help.h"
#include "relayopt/arith/dim_arith.h"
#include "relayopt/arith/intrinsics.h"
#include "relayopt/convert/coverage.h"
#include "relayopt/convert/onnx/write.h"
#include "relayopt/convert/relax.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/pass/plugin.h"
#include "relayopt/pass/registry.h"
#include "relayopt/pass/rewrite_gate.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/json.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/target/target.h"

namespace relayopt {

namespace {

struct ListOptions {
  std::string list_passes = "";
  std::string help_pass = "";
  std::string list_ops = "";
  std::string help_op = "";
  bool list_config = false;
  bool list_targets = false;
  std::string help_target = "";
  std::string version = "";
  bool list_debug_counters = false;
  std::string gen_docs = "";
};

using Json = OrderedJson;

auto Name(Exactness exactness) -> std::string_view {
  switch (exactness) {
    case Exactness::kExact: return "exact";
    case Exactness::kApproximate: return "approximate";
    case Exactness::kReorders: return "reorders";
    case Exactness::kNarrows: return "narrows";
    case Exactness::kQuantizes: return "quantizes";
    case Exactness::kExtends: return "extends";
    case Exactness::kChanges: return "changes";
  }
  return "";
}

auto PassListText() -> std::string {
  std::string out;
  for (const PassDef* def : AllPasses()) {
    if (def->hidden) continue;
    const std::string_view plugin = PluginOf(*def);
    out += fmt::format("{:36} {:8} {}  {}{}\n", def->name, KindName(*def), def->opt_level, def->summary,
                       plugin.empty() ? "" : fmt::format(" (plugin {})", plugin));
  }
  out += "\nThe number is the optimization level from which on default<ON> and --opt-level=N run it.\nPipelines:\n";
  for (const NamedPipeline* named : NamedPipelines()) {
    out += fmt::format("{:36} {}\n", fmt::format("default<{}>", named->name), named->doc);
  }
  return out;
}

auto ConfigListText() -> std::string {
  std::string out;
  for (const ConfigOption* option : ConfigOptions()) {
    out += fmt::format("{:48} {}{}{}\n", option->key, option->doc, option->default_text.empty() ? "" : "; default ",
                       option->default_text);
    if (option->fields == nullptr) continue;
    const PassOptions defaults(*option->fields);
    for (const OptionInfo& field : option->fields->fields) {
      out += fmt::format("  {:46} {}; default {}\n", field.name, field.doc, ToString(defaults.Get(field)));
    }
  }
  return out;
}

auto PassListJson() -> std::string {
  Json list = Json::array();
  for (const PassDef* def : AllPasses()) {
    if (def->hidden) continue;
    const PassInfo info = InfoOf(*def);
    Json options = Json::array();
    const PassOptions defaults(*def->options);
    for (const OptionInfo& option : def->options->fields) {
      options.push_back({{"name", option.name},
                         {"type", KindName(option.kind)},
                         {"default", option.required ? Json() : Json(ToString(defaults.Get(option)))},
                         {"doc", option.doc}});
    }
    list.push_back({{"name", def->name},
                    {"info_name", info.name},
                    {"kind", KindName(*def)},
                    {"opt_level", def->opt_level},
                    {"required", info.required},
                    {"exactness", Name(def->exactness)},
                    {"idempotent", def->idempotent},
                    {"summary", def->summary},
                    {"options", options}});
  }
  return list.dump(2) + "\n";
}

auto DebugCounterList() -> std::string {
  std::string out;
  for (const PassDef* def : AllPasses()) {
    for (const Statistic& statistic : def->statistics) {
      if (!statistic.is_debug_counter) continue;
      out += fmt::format("{:36} {}\n", fmt::format("{}.{}", statistic.pass, statistic.name), statistic.doc);
    }
  }
  out += fmt::format("{:36} {}\n", fmt::format("PASS.{}", RewriteGate::kCounter),
                     "of every pass: what it rewrites, or functions that it changes");
  return out;
}

auto Name(FieldKind kind) -> std::string_view {
  switch (kind) {
    case FieldKind::kInt: return "int";
    case FieldKind::kBool: return "bool";
    case FieldKind::kDouble: return "float";
    case FieldKind::kString: return "string";
    case FieldKind::kDataType: return "dtype";
    case FieldKind::kDim: return "int or null";
    case FieldKind::kDimList: return "list of ints";
    case FieldKind::kDimLists: return "list of lists of ints";
    case FieldKind::kObject: return "object";
  }
  return "";
}

auto DimText(const Dim& dim) -> std::string {
  if (dim.is_null()) return "None";
  // A boxed bool.
  if (dim.is_int() && dim.bits() == 1) return dim.is(0) ? "False" : "True";
  return ToString(dim);
}

auto ListText(const DimList& list) -> std::string {
  if (list.null) return "None";
  std::string out = "[";
  for (const Dim& dim : list) out += (out.size() == 1 ? "" : ", ") + DimText(dim);
  return out + "]";
}

auto DefaultText(const FieldInfo& field, const void* record) -> std::string {
  switch (field.kind) {
    case FieldKind::kInt: return fmt::format("{}", field.Get<int64_t>(record));
    case FieldKind::kBool: return field.Get<bool>(record) ? "True" : "False";
    case FieldKind::kDouble: return fmt::format("{}", field.Get<double>(record));
    case FieldKind::kString: return "\"" + field.Get<std::string>(record) + "\"";
    case FieldKind::kDataType: return "\"" + ToString(field.Get<DataType>(record)) + "\"";
    case FieldKind::kDim: return DimText(field.Get<Dim>(record));
    case FieldKind::kDimList: return ListText(field.Get<DimList>(record));
    case FieldKind::kDimLists: {
      const auto& lists = field.Get<DimLists>(record);
      if (lists.null) return "None";
      std::string out = "[";
      for (const DimList& list : lists.values) out += (out.size() == 1 ? "" : ", ") + ListText(list);
      return out + "]";
    }
    case FieldKind::kObject: break;
  }
  if (field.default_floats.empty()) return "None";
  std::string out;
  // These are float32 numbers, which have fewer digits than their doubles.
  for (const double value : field.default_floats) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", static_cast<float>(value));
  }
  return "[" + out + "]";
}

auto Name(Fusion fusion) -> std::string_view {
  switch (fusion) {
    case Fusion::kElemWise: return "element-wise";
    case Fusion::kBroadcast: return "broadcast";
    case Fusion::kInjective: return "injective";
    case Fusion::kCommReduce: return "reduction";
    case Fusion::kOutEWiseFusable: return "complex, takes element-wise operators behind it";
    case Fusion::kTuple: return "tuple";
    case Fusion::kOpaque: return "opaque, never fused";
    case Fusion::kNone: return "none, other passes must lower it before FuseOps";
  }
  return "";
}

auto Explain(ShapeFunction function) -> std::string {
  if (function.empty()) return "none";
  if (function.find('d') == std::string_view::npos) return "from the shapes of the inputs";
  if (function.find('s') == std::string_view::npos) return "from the values of the inputs";
  std::string kinds;
  for (const char c : function) kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", c == 'd' ? "value" : "shape");
  return "from " + kinds + " of the inputs in turn";
}

// Returns the element types that a letter in a row stands for.
auto ElementTypesName(char letter) -> std::string_view {
  switch (letter) {
    case 'b': return "truth values";
    case 'f': return "floating point";
    case 'i': return "integers";
    case 'n': return "integers and floating point";
    case 'x': return "integers and truth values";
    default: return "any";
  }
}

auto ElementTypesText(const OpDef& op) -> std::string {
  if (op.element_types.size() == 1) return std::string(ElementTypesName(op.element_types[0]));
  std::string text;
  for (size_t i = 0; i < op.element_types.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", InputName(op, i), ElementTypesName(op.element_types[i]));
  }
  return text;
}

// Returns the lines that say how passes treat an operator.
auto OpFacts(const OpDef& op) -> std::vector<std::string> {
  std::vector<std::string> facts = {
      fmt::format("Fusion pattern: {}.", Name(op.fusion)),
      fmt::format("Layout rule: {}.", op.layout == nullptr ? "none, layouts are converted back around it" : "one"),
      fmt::format("Shape function: {}.", Explain(op.shape_function)),
  };
  if (op.kernel != nullptr) facts.push_back(fmt::format("Computed on element types: {}.", ElementTypesText(op)));
  if (op.stateful) facts.emplace_back("Stateful: never merged, duplicated or dropped.");
  if (op.non_computational) facts.emplace_back("Non-computational: it moves or annotates data.");
  if (op.reshape_only) facts.emplace_back("Reshape only: the elements and their order stay.");
  if (op.variable_dimensions) facts.emplace_back("Kernels are made for dynamic dimensions.");
  if (op.attrs_undeclared) facts.emplace_back("The class of its attributes is not declared: it prints as meta[...].");
  return facts;
}

// How an operator is written in another system, for people.
auto FormText(const OpDef& op, std::string_view system, const std::string& form) -> std::string {
  const std::string_view state = FormStateOf(op.name, system);
  if (state == "direct") return form;
  if (state == "decomposed") return fmt::format("by other operators, see LowerFor<target={}>", system);
  if (state == "lowered-first") return "as integer arithmetic, see QnnCanonicalizeOps";
  return "no form";
}

auto OpHelp(const OpDef& op) -> std::string {
  std::string out = fmt::format("{}({}): {}\n", op.name, op.inputs, op.doc);
  for (const std::string& fact : OpFacts(op)) out += fact + "\n";
  out += "In Relax: " + FormText(op, "relax", RelaxFormOf(op.name)) + "\n";
  out += "In ONNX: " + FormText(op, "onnx", OnnxFormOf(op.name)) + "\n";
  if (op.attrs == nullptr) return out;
  out += fmt::format("\nAttributes ({}):\n", op.attrs->type_key);
  const AttrsBuilder defaults(*op.attrs);
  for (const FieldInfo& field : op.attrs->fields) {
    const std::string value = field.required ? "must be given" : "default " + DefaultText(field, defaults.data());
    out += fmt::format("  {}: {}, {}{}\n", field.name, Name(field.kind), value,
                       field.doc.empty() ? "" : fmt::format("\n      {}", field.doc));
  }
  return out;
}

auto OpListText() -> std::string {
  std::string out;
  for (const OpDef* op : AllOps())
    out += fmt::format("{:44} {}\n", fmt::format("{}({})", op->name, op->inputs), op->doc);
  for (const arith::IntrinsicRow& row : arith::Intrinsics())
    out += fmt::format("{:44} {}\n", fmt::format("{}{}", row.name, row.arguments), row.doc);
  return out;
}

auto EffectText(arith::CallEffect effect) -> std::string_view {
  switch (effect) {
    case arith::CallEffect::kExprAnnotation: return "a note on an expression";
    case arith::CallEffect::kPure: return "none";
    case arith::CallEffect::kReadState: return "reads state";
    case arith::CallEffect::kUpdateState: return "updates state";
    case arith::CallEffect::kSpecialCallArg: return "stands as an argument of other calls only";
    case arith::CallEffect::kEmbedInfo: return "tells passes something";
    case arith::CallEffect::kControlJump: return "leaves the function";
  }
  return "";
}

auto IntrinsicHelp(const arith::IntrinsicRow& row) -> std::string {
  std::string out = fmt::format("{}{}: {}\n", row.name, row.arguments, row.doc);
  out += fmt::format("In TVMScript: T.{}{}\n", row.printed, row.reference_reads ? "" : ", which TVM's reader lacks");
  out += fmt::format("Effect: {}\n", EffectText(row.effect));
  out += fmt::format("Vectorized: {}\n", row.vectorizable ? "by widening its arguments" : "lane by lane");
  if (!row.global_symbol.empty()) out += fmt::format("Lowered to a call of {}\n", row.global_symbol);
  if (row.evaluate != nullptr) out += "Computed by --run and --validate from its arguments alone.\n";
  return out;
}

auto OpListJson() -> std::string {
  Json list = Json::array();
  for (const OpDef* op : AllOps()) {
    Json inputs = Json::array();
    for (size_t i = 0; i < Arity(*op); ++i) inputs.push_back(InputName(*op, i));
    Json attrs = Json::array();
    if (op->attrs != nullptr) {
      const AttrsBuilder defaults(*op->attrs);
      for (const FieldInfo& field : op->attrs->fields) {
        attrs.push_back({{"name", field.name},
                         {"type", Name(field.kind)},
                         {"default", field.required ? Json() : Json(DefaultText(field, defaults.data()))},
                         {"doc", field.doc}});
      }
    }
    list.push_back({{"name", op->name},
                    {"inputs", inputs},
                    {"attrs_type_key", op->attrs == nullptr ? Json() : Json(op->attrs->type_key)},
                    {"attrs", attrs},
                    {"pattern", op->fusion == Fusion::kNone ? Json() : Json(static_cast<int>(op->fusion))},
                    {"attrs_undeclared", op->attrs_undeclared},
                    {"stateful", op->stateful},
                    {"non_computational", op->non_computational},
                    {"reshape_only", op->reshape_only},
                    {"variable_dimensions", op->variable_dimensions},
                    {"shape_function", op->shape_function},
                    {"element_types", op->element_types},
                    {"kernel", op->kernel != nullptr},
                    {"layout", op->layout != nullptr},
                    {"relax", FormStateOf(op->name, "relax")},
                    {"onnx", FormStateOf(op->name, "onnx")},
                    {"doc", op->doc}});
  }
  return list.dump(2) + "\n";
}

// Returns the text of a table's cell, with bars escaped, which would end it.
auto Cell(std::string_view text) -> std::string {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

// The head of a table with rows (name, type, default, meaning).
constexpr std::string_view kFieldTable = "| name | type | default | meaning |\n|---|---|---|---|\n";

auto FieldRow(std::string_view name, std::string_view type, std::string_view value, std::string_view doc)
    -> std::string {
  return fmt::format("| `{}` | {} | {} | {} |\n", name, type, value.empty() ? "required" : "`" + Cell(value) + "`",
                     Cell(doc));
}

auto OperatorsPage() -> std::string {
  std::string out = fmt::format("# Operators\n\nThe {} operators, made by `relayopt --gen-docs`.\n", AllOps().size());
  for (const OpDef* op : AllOps()) {
    out += fmt::format("\n## {}\n\n`{}({})`: {}\n\n", op->name, op->name, op->inputs, op->doc);
    for (const std::string& fact : OpFacts(*op)) out += "- " + fact + "\n";
    if (op->attrs == nullptr) continue;
    out += fmt::format("\nAttributes (`{}`):\n\n{}", op->attrs->type_key, kFieldTable);
    const AttrsBuilder defaults(*op->attrs);
    for (const FieldInfo& field : op->attrs->fields) {
      out +=
          FieldRow(field.name, Name(field.kind), field.required ? "" : DefaultText(field, defaults.data()), field.doc);
    }
  }
  return out;
}

// Returns the details of a pass; examples, which are indented there, become code.
auto DetailsText(std::string_view details) -> std::string {
  std::string out;
  while (!details.empty()) {
    const size_t end = std::min(details.find('\n'), details.size());
    const std::string_view line = details.substr(0, end);
    out += fmt::format("{}{}\n", line.starts_with("  ") ? "  " : "", line);
    details.remove_prefix(std::min(end + 1, details.size()));
  }
  return out;
}

auto PassesPage() -> std::string {
  std::string out = "# Passes\n\nFrom their table; made by `relayopt --gen-docs`.\n";
  for (const PassDef* def : AllPasses()) {
    if (def->hidden) continue;
    out += fmt::format("\n## {}\n\n{}\n\n{}\n- {} pass of level {}\n- {}\n", def->name, def->summary,
                       DetailsText(def->details), KindName(*def), def->opt_level, Explain(def->exactness));
    if (def->idempotent) out += "- a second run changes nothing\n";
    if (!def->required.empty()) out += fmt::format("- runs after: {}\n", def->required);
    if (!def->sequence.empty()) out += fmt::format("- stands for: `{}`\n", def->sequence);
    if (def->options->fields.empty()) continue;
    out += fmt::format("\n{}", kFieldTable);
    const PassOptions defaults(*def->options);
    for (const OptionInfo& option : def->options->fields) {
      out += FieldRow(option.name, KindName(option.kind), option.required ? "" : ToString(defaults.Get(option)),
                      option.doc);
    }
  }
  out += "\n# Pipelines\n\n| name | level | passes | meaning |\n|---|---|---|---|\n";
  for (const NamedPipeline* named : NamedPipelines()) {
    out += fmt::format("| `default<{}>` | {} | `{}` | {} |\n", named->name, named->opt_level, Cell(named->text),
                       Cell(named->doc));
  }
  return out;
}

// Writes all pages into a folder, which is created if needed. Returns their paths, one in each line, or nothing, with a
// message, if one cannot be written.
auto GenerateDocs(const std::string& folder, Reporter& reporter) -> std::optional<std::string> {
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  std::string paths;
  for (const auto& [name, text] : {std::pair("operators.md", OperatorsPage()), std::pair("options.md", FlagPage()),
                                   std::pair("passes.md", PassesPage()), std::pair("relayopt.1", ManPage())}) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    if (const auto error = WriteFile(path, text)) {
      reporter.Error("cannot write '" + path + "': " + *error);
      return std::nullopt;
    }
    paths += path + "\n";
  }
  return paths;
}

auto Version(bool is_json) -> std::string {
#ifdef NDEBUG
  constexpr const char* kBuild = "release";
#else
  constexpr const char* kBuild = "debug";
#endif
  if (is_json) {
    const OrderedJson json = {{"version", RELAYOPT_VERSION},
                              {"relay_text", "0.0.5"},
                              {"tvm", "0.15"},
                              {"build", kBuild},
                              {"compiler", __VERSION__}};
    return json.dump(2) + "\n";
  }
  return fmt::format("relayopt {}\nRelay text 0.0.5, as TVM 0.15 writes it\n{} build, compiler {}\n", RELAYOPT_VERSION,
                     kBuild, __VERSION__);
}

}  // namespace

auto ListsAndHelp(const ToolOptions& options, Reporter& reporter) -> std::optional<std::string> {
  const auto& own = options.of_owners.Get<ListOptions>();
  std::string out;
  if (!own.version.empty()) out += Version(own.version == "json");
  if (!own.list_passes.empty()) out += own.list_passes == "json" ? PassListJson() : PassListText();
  if (own.list_debug_counters) out += DebugCounterList();
  if (!own.list_ops.empty()) out += own.list_ops == "json" ? OpListJson() : OpListText();
  if (!own.help_pass.empty()) {
    const std::optional<std::string> help = PassHelp(own.help_pass);
    if (!help) {
      reporter.Error("unknown pass '" + own.help_pass + "'" + DidYouMeanPass(own.help_pass));
      return std::nullopt;
    }
    out += *help;
  }
  if (own.list_config) out += ConfigListText();
  if (own.list_targets) out += TargetListText();
  if (!own.help_target.empty()) {
    const std::optional<std::string> help = TargetHelp(own.help_target);
    if (!help) {
      reporter.Error("unknown kind or tag '" + own.help_target + "'" + DidYouMeanTarget(own.help_target));
      return std::nullopt;
    }
    out += *help;
  }
  if (!own.help_op.empty()) {
    const OpDef* op = FindOp(own.help_op);
    const arith::IntrinsicRow* row = arith::FindIntrinsic(own.help_op);
    if (op == nullptr && row == nullptr) {
      auto names = MapToVector<std::string_view>(AllOps(), &OpDef::name);
      for (const arith::IntrinsicRow& known : arith::Intrinsics()) names.push_back(known.name);
      reporter.Error("unknown operator '" + own.help_op + "'" + DidYouMean(own.help_op, names));
      return std::nullopt;
    }
    out += op != nullptr ? OpHelp(*op) : IntrinsicHelp(*row);
  }
  if (WantsArith(options)) {
    const std::optional<std::string> text = ArithText(options, reporter);
    if (!text) return std::nullopt;
    out += *text;
  }
  if (!own.gen_docs.empty()) {
    const std::optional<std::string> paths = GenerateDocs(own.gen_docs, reporter);
    if (!paths) return std::nullopt;
    out += *paths;
  }
  return out;
}

namespace flag_rows {

constexpr FlagDef kListFlags[] = {
    {RELAYOPT_FIELD(ListOptions::list_passes), .name = "list-passes", .group = kHelp, .value = "json",
     .help = "list the passes", .words = "text json", .bare = "text", .synonyms = "print-passes", .role = kList,
     .effect = kNone},
    {RELAYOPT_FIELD(ListOptions::help_pass), .name = "help-pass", .group = kHelp, .value = "NAME", .kind = kPass,
     .help = "describe a pass and its options", .role = kList, .effect = kNone},
    {RELAYOPT_FIELD(ListOptions::list_ops), .name = "list-ops", .group = kHelp, .value = "json",
     .help = "list the operators", .words = "text json", .bare = "text", .role = kList, .effect = kNone},
    {RELAYOPT_FIELD(ListOptions::help_op), .name = "help-op", .group = kHelp, .value = "NAME", .kind = kOperator,
     .help = "describe an operator, its inputs and attributes", .role = kList, .effect = kNone},
    {RELAYOPT_FIELD(ListOptions::list_config), .name = "list-config", .group = kHelp,
     .help = "keys of --config, with their defaults", .rare = true, .role = kList, .effect = kNone},
    {RELAYOPT_FIELD(ListOptions::list_targets), .name = "list-targets", .group = kHelp,
     .help = "list the kinds of targets, and tags", .rare = true, .role = kList, .effect = kNone},
    {RELAYOPT_FIELD(ListOptions::help_target), .name = "help-target", .group = kHelp, .value = "KIND",
     .help = "describe a kind of targets and its attributes, or a tag", .rare = true, .role = kList, .effect = kNone},
    {RELAYOPT_FIELD(ListOptions::version), .name = "version", .group = kHelp, .value = "json",
     .help = "version of relayopt and of the text format", .words = "text json", .bare = "text", .role = kList,
     .effect = kNone},
    {RELAYOPT_FIELD(ListOptions::list_debug_counters), .name = "list-debug-counters", .group = kHelp,
     .help = "list the debug counters", .rare = true, .role = kList, .effect = kNone},
    {RELAYOPT_FIELD(ListOptions::gen_docs), .name = "gen-docs", .group = kHelp, .value = "FOLDER", .kind = kOutFolder,
     .help = "write operators.md, options.md, passes.md and the manual page relayopt.1 into this folder", .rare = true,
     .role = kList, .effect = kNone},
};

}  // namespace flag_rows

auto ListFlags() -> std::span<const FlagDef> { return FlagRows(flag_rows::kListFlags); }

}  // namespace relayopt
