// Adds the definitions of GradCell to a module.
#include "grad_cell.h"

#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/support/check.h"

namespace relayopt {

namespace {

constexpr std::string_view kDefinitions = R"(#[version = "0.0.5"]
type GradCell[T] {
  Raw(T),
  One(fn () -> T),
  Zero(fn () -> T),
}

def @FromGradCell[T](%g: GradCell[T]) -> T {
  match (%g) {
    Raw(%x) => { %x },
    One(%x) => { %x() },
    Zero(%x) => { %x() },
  }
}

def @MultiplyGradCell[T](%multiply: fn (T, T) -> T, %l: GradCell[T], %r: GradCell[T]) -> GradCell[T] {
  match ((%l, %r)) {
    (Zero(_), _) => { %l },
    (_, Zero(_)) => { %r },
    (One(_), _) => { %r },
    (_, One(_)) => { %l },
    _ => { Raw(%multiply(@FromGradCell(%l), @FromGradCell(%r))) },
  }
}

def @AddGradCell[T](%add: fn (T, T) -> T, %l: GradCell[T], %r: GradCell[T]) -> GradCell[T] {
  match ((%l, %r)) {
    (Zero(_), _) => { %r },
    (_, Zero(_)) => { %l },
    _ => { Raw(%add(@FromGradCell(%l), @FromGradCell(%r))) },
  }
}
)";

constexpr std::string_view kFunctions[] = {"FromGradCell", "AddGradCell", "MultiplyGradCell"};
constexpr std::string_view kConstructors[] = {"Raw", "One", "Zero"};

// Returns the function with the globals and constructors that have these names in `to`.
auto Import(const Module& from, const Function& function, Module& to) -> Function {
  const auto ctor = [&](CtorId id) { return to.FindConstructor(from.constructor(id).name); };
  Rebuild rebuild(function);
  rebuild.ForEach([&](ExprId id) {
    switch (function.kind(id)) {
      case ExprKind::kGlobal: return rebuild.to().Global(to.NameGlobal(from.name(function.global(id))));
      case ExprKind::kConstructor: return rebuild.to().Constructor(ctor(function.constructor(id)));
      case ExprKind::kMatch: {
        MatchInfo info = function.match(id);
        for (Pattern& pattern : info.patterns) {
          if (pattern.kind == PatternKind::kConstructor) pattern.ctor = ctor(pattern.ctor);
        }
        return rebuild.to().Match(std::move(info), rebuild.NewOperands(id));
      }
      default: return rebuild.Copy(id);
    }
  });
  return rebuild.Finish();
}

void Define(Module& module) {
  DiagnosticSink sink;
  const auto text = SourceText::FromString("GradCell", std::string(kDefinitions));
  const std::optional<Module> read = ReadModule(text, module.shared_context(), sink);
  RELAYOPT_CHECK(read.has_value(), "the definitions of GradCell are well-formed");
  const TypeDef& type_def = read->type_defs()[0];
  TypeDef made = type_def;
  made.constructors.clear();
  const TypeDefId id = module.AddTypeDef(std::move(made));
  for (const CtorId ctor : type_def.constructors) {
    module.AddConstructor(id, read->constructor(ctor).name, read->constructor(ctor).inputs);
  }
  for (const GlobalId global : read->SortedFunctions<Function>()) {
    module.SetFunction(module.NameGlobal(read->name(global)),
                       std::make_shared<Function>(Import(*read, *read->function<Function>(global), module)));
  }
}

}  // namespace

auto AddGradCell(Module& module) -> std::optional<GradCell> {
  Context& context = module.context();
  const StringId type = context.Intern("GradCell");
  size_t found = module.FindTypeDef(type) ? 1 : 0;
  for (const std::string_view name : kConstructors) found += module.FindConstructor(context.Intern(name)) ? 1 : 0;
  for (const std::string_view name : kFunctions) {
    const GlobalId global = module.FindGlobal(name);
    found += global && module.function<Function>(global) != nullptr ? 1 : 0;
  }
  if (found == 0)
    Define(module);
  else if (found != 1 + std::size(kConstructors) + std::size(kFunctions))
    return std::nullopt;
  const auto ctor = [&](std::string_view name) { return module.FindConstructor(context.Intern(name)); };
  return GradCell{type,
                  ctor("Raw"),
                  ctor("One"),
                  ctor("Zero"),
                  module.FindGlobal("FromGradCell"),
                  module.FindGlobal("AddGradCell"),
                  module.FindGlobal("MultiplyGradCell")};
}

}  // namespace relayopt
