// Reads modules from graph JSON.
#include <fmt/format.h>

#include <algorithm>

#include "function_reader.h"
#include "relayopt/convert/tvm_json/tvm_json.h"

namespace relayopt {

namespace {

class ModuleReader {
 public:
  ModuleReader(ObjectGraph& graph, Module& module, DiagnosticSink& sink)
      : graph_(graph), module_(module), nodes_(module.context(), graph, sink), functions_(nodes_, module) {}

  auto Read() -> bool {
    const uint32_t root = graph_.root();
    const std::string_view key = graph_.type_key(root);
    if (key == "relay.Function") return Define("main", root);
    if (key == "IRModule") return ReadTypes(root) && ReadFunctions(root) && ReadAttrs(root);
    nodes_.sink.Report(diag::kTvmJsonRoot, graph_.range(root), nodes_.What(root));
    return false;
  }

 private:
  auto Item(uint32_t node, std::string_view what) -> bool {
    nodes_.sink.Report(diag::kTvmJsonItem, graph_.range(node), "this", what, nodes_.What(node));
    return false;
  }

  // Keys and values of a map whose keys are objects.
  auto Entries(uint32_t root, std::string_view field, std::span<const uint32_t>& out) -> bool {
    uint32_t map = 0;
    if (!nodes_.Child(root, field, map)) return false;
    out = graph_.items(map);
    return (graph_.type_key(map) == "Map" && out.size() % 2 == 0) || nodes_.Wrong(root, field, "a map");
  }

  // Declares all type names before any constructor, because types may refer to each other.
  auto ReadTypes(uint32_t root) -> bool {
    std::span<const uint32_t> entries;
    if (!Entries(root, "type_definitions", entries)) return false;
    struct Read {
      StringId name;
      uint32_t data;
    };
    std::vector<Read> types;
    for (size_t i = 0; i < entries.size(); i += 2) {
      Read type{{}, entries[i + 1]};
      if (!nodes_.Name(entries[i], NameOf::kTypeOrConstructor, type.name)) return false;
      if (graph_.type_key(type.data) != "relay.TypeData") return Item(type.data, "a type definition");
      types.push_back(type);
    }
    // Maps have no order; modules print theirs by name.
    std::ranges::sort(types, {}, [&](const Read& type) { return module_.context().text(type.name); });
    for (const Read& type : types) {
      if (!ReadType(type.name, type.data)) return false;
    }
    return true;
  }

  auto ReadType(StringId name, uint32_t data) -> bool {
    std::span<const uint32_t> constructors;
    TypeDef def;
    def.name = name;
    if (!nodes_.Types(data, "type_vars", def.params) || !nodes_.List(data, "constructors", constructors)) return false;
    def.is_extern = constructors.empty();
    const bool vars = std::ranges::all_of(
        def.params, [&](TypeId type) { return module_.context().type(type).kind == TypeKind::kVar; });
    if (!vars) return nodes_.Wrong(data, "type_vars", "an array of type variables");
    if (module_.FindTypeDef(name)) return Twice(data, name);
    const TypeDefId id = module_.AddTypeDef(std::move(def));
    for (const uint32_t constructor : constructors) {
      StringId hint;
      std::vector<TypeId> inputs;
      if (!nodes_.Name(constructor, NameOf::kTypeOrConstructor, hint) || !nodes_.Types(constructor, "inputs", inputs))
        return false;
      if (module_.FindConstructor(hint)) return Twice(constructor, hint);
      module_.AddConstructor(id, hint, std::move(inputs));
    }
    return true;
  }

  auto Twice(uint32_t node, StringId name) -> bool {
    const auto text = fmt::format("{} is defined twice", Printable(module_.context().text(name)));
    nodes_.sink.Report(diag::kTvmJsonName, graph_.range(node), text);
    return false;
  }

  auto ReadFunctions(uint32_t root) -> bool {
    std::span<const uint32_t> entries;
    if (!Entries(root, "functions", entries)) return false;
    bool ok = true;
    for (size_t i = 0; i < entries.size(); i += 2) {
      StringId name;
      if (!nodes_.Name(entries[i], NameOf::kGlobal, name)) return false;
      ok &= Define(module_.context().text(name), entries[i + 1]);
    }
    return ok;
  }

  auto Define(std::string_view name, uint32_t node) -> bool {
    if (graph_.type_key(node) != "relay.Function") return Item(node, "a function of Relay");
    const GlobalId id = module_.NameGlobal(name);
    if (module_.function(id) != nullptr) return Twice(node, module_.global(id).name);
    FunctionRef function = functions_.Read(node, name);
    if (function == nullptr) return false;
    module_.SetFunction(id, std::move(function));
    module_.SetRange(id, graph_.range(node));
    return true;
  }

  auto ReadAttrs(uint32_t root) -> bool {
    std::vector<DictAttr> attrs;
    if (!nodes_.Dictionary(root, "attrs", attrs)) return false;
    module_.SetAttrs(attrs);
    return true;
  }

  ObjectGraph& graph_;
  Module& module_;
  JsonNodes nodes_;
  FunctionReader functions_;
};

auto SkipSpace(std::string_view& text) -> std::string_view {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

}  // namespace

auto LooksLikeTvmJson(std::string_view text) -> bool {
  if (!SkipSpace(text).starts_with('{')) return false;
  text.remove_prefix(1);
  SkipSpace(text);
  return text.starts_with("\"root\"") || text.starts_with("\"nodes\"");
}

auto ReadTvmJson(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink,
                 const ExternalConstants& external, std::shared_ptr<Context> context) -> std::optional<Module> {
  Module module(context != nullptr ? std::move(context) : std::make_shared<Context>());
  module.set_source(source);
  module.context().Keep(source);
  const SourceRange all = {0, static_cast<uint32_t>(source->text().size())};
  const auto graph = ObjectGraph::Parse(module.context(), *source, all, sink, external);
  if (graph == nullptr || !ModuleReader(*graph, module, sink).Read()) return std::nullopt;
  return module;
}

}  // namespace relayopt
