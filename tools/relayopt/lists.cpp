// Renders the tables of passes and operators.
#include "lists.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "relayopt/ops/op_table.h"
#include "relayopt/pass/registry.h"

namespace relayopt {

namespace {

using Json = nlohmann::ordered_json;

auto Name(PassKind kind) -> std::string_view {
  switch (kind) {
    case PassKind::kFunction: return "function";
    case PassKind::kModule: return "module";
    case PassKind::kSequence: return "sequence";
  }
  return "";
}

auto Name(Exactness exactness) -> std::string_view {
  switch (exactness) {
    case Exactness::kExact: return "exact";
    case Exactness::kApproximate: return "approximate";
    case Exactness::kChanges: return "changes";
  }
  return "";
}

auto Explain(Exactness exactness) -> std::string_view {
  switch (exactness) {
    case Exactness::kExact: return "results stay the same bit for bit";
    case Exactness::kApproximate: return "results stay the same up to rounding";
    case Exactness::kChanges: return "the result is another program on purpose";
  }
  return "";
}

auto PassListText() -> std::string {
  std::string out;
  for (const PassDef* def : AllPasses()) {
    if (!def->hidden)
      out += fmt::format("{:36} {:8} {}  {}\n", def->name, Name(def->kind), def->opt_level, def->summary);
  }
  out +=
      "\nThe number is the optimization level from which on --passes runs it (--opt-level, default 2).\nPipelines:\n";
  for (const NamedPipeline& named : NamedPipelines()) {
    out += fmt::format("{:36} {}\n", fmt::format("default<{}>", named.name), named.doc);
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
                    {"kind", Name(def->kind)},
                    {"opt_level", def->opt_level},
                    {"required", info.required},
                    {"exactness", Name(def->exactness)},
                    {"idempotent", def->idempotent},
                    {"summary", def->summary},
                    {"options", options}});
  }
  return list.dump(2) + "\n";
}

auto PassHelp(const PassDef& def) -> std::string {
  const PassInfo info = InfoOf(def);
  std::string out = fmt::format("{}: {}\n\n{}\n\n", def.name, def.summary, def.details);
  out += fmt::format("A {} pass of level {}; {}{}.\n", Name(def.kind), def.opt_level, Explain(def.exactness),
                     def.idempotent ? "; a second run changes nothing" : "");
  if (info.name != def.name) out += fmt::format("Contexts know it as '{}'.\n", info.name);
  if (!def.required.empty()) out += fmt::format("Runs after: {}.\n", def.required);
  if (!def.sequence.empty()) out += fmt::format("Stands for: {}.\n", def.sequence);
  const PassOptions defaults(*def.options);
  if (!def.options->fields.empty()) out += "\nOptions:\n";
  for (const OptionInfo& option : def.options->fields) {
    out += fmt::format("  {}: {}\n      {}{}\n", option.name, KindName(option.kind), option.doc,
                       option.required ? "; must be given" : "; default " + ToString(defaults.Get(option)));
  }
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

auto DimText(const Dim& dim) -> std::string { return dim.is_null() ? "None" : ToString(dim); }

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
    case FieldKind::kObject: return "None";
  }
  return "";
}

auto OpHelp(const OpDef& op) -> std::string {
  std::string out = fmt::format("{}({}): {}\n", op.name, op.inputs, op.doc);
  if (op.stateful) out += "Stateful: never merged, duplicated or dropped.\n";
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
                    {"stateful", op->stateful},
                    {"doc", op->doc}});
  }
  return list.dump(2) + "\n";
}

auto Version() -> std::string {
#ifdef NDEBUG
  constexpr const char* kBuild = "release";
#else
  constexpr const char* kBuild = "debug";
#endif
  return fmt::format("relayopt {}\nRelay text 0.0.5, as TVM 0.15 writes it\n{} build, compiler {}\n", RELAYOPT_VERSION,
                     kBuild, __VERSION__);
}

}  // namespace

auto ListsAndHelp(const ToolOptions& options, Reporter& reporter) -> std::optional<std::string> {
  std::string out;
  if (options.version) out += Version();
  if (!options.list_passes.empty()) out += options.list_passes == "json" ? PassListJson() : PassListText();
  if (!options.list_ops.empty()) out += options.list_ops == "json" ? OpListJson() : OpListText();
  if (!options.help_pass.empty()) {
    const PassDef* def = FindPass(options.help_pass);
    if (def == nullptr) {
      reporter.Error("unknown pass '" + options.help_pass + "'" + DidYouMeanPass(options.help_pass));
      return std::nullopt;
    }
    out += PassHelp(*def);
  }
  if (!options.help_op.empty()) {
    const OpDef* op = FindOp(options.help_op);
    if (op == nullptr) {
      std::vector<std::string_view> names;
      for (const OpDef* known : AllOps()) names.push_back(known->name);
      reporter.Error("unknown operator '" + options.help_op + "'" + DidYouMean(options.help_op, names));
      return std::nullopt;
    }
    out += OpHelp(*op);
  }
  return out;
}

}  // namespace relayopt
