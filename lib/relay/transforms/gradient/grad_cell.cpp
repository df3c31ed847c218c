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

auto ReadDefinitions(const Module& module) -> Module {
  DiagnosticSink sink;
  const auto text = SourceText::FromString("GradCell", std::string(kDefinitions));
  std::optional<Module> read = ReadModule(text, module.shared_context(), sink);
  RELAYOPT_CHECK(read.has_value(), "the definitions of GradCell are well-formed");
  return *std::move(read);
}

// Whether an input of a constructor is the type parameter itself, or a function without parameters that returns it.
auto IsCellInput(const Context& context, TypeId input, TypeId param, bool is_function) -> bool {
  if (!is_function) return input == param;
  const Type& type = context.type(input);
  return type.is_function() && type.args.empty() && type.result == param;
}

// Whether this is the type that kDefinitions defines.
auto IsCellType(const Module& module, const TypeDef& type) -> bool {
  if (type.is_extern || type.params.size() != 1 || type.constructors.size() != std::size(kConstructors)) return false;
  for (size_t i = 0; i < std::size(kConstructors); ++i) {
    const Constructor& ctor = module.constructor(type.constructors[i]);
    if (module.context().text(ctor.name) != kConstructors[i] || ctor.inputs.size() != 1) return false;
    if (!IsCellInput(module.context(), ctor.inputs[0], type.params[0], i != 0)) return false;
  }
  return true;
}

// Adds what a module lacks of the definitions: other passes may have removed unused functions. Returns false if the
// module has others of these names.
auto Define(Module& module, StringId type) -> bool {
  const Module own = ReadDefinitions(module);
  if (const TypeDefId found = module.FindTypeDef(type)) {
    if (!IsCellType(module, module.type_def(found))) return false;
  } else {
    const TypeDef& type_def = own.type_defs()[0];
    for (const CtorId ctor : type_def.constructors) {
      if (module.FindConstructor(own.constructor(ctor).name)) return false;
    }
    TypeDef made = type_def;
    made.constructors.clear();
    const TypeDefId id = module.AddTypeDef(std::move(made));
    for (const CtorId ctor : type_def.constructors) {
      module.AddConstructor(id, own.constructor(ctor).name, own.constructor(ctor).inputs);
    }
  }
  for (const GlobalId global : own.SortedFunctions<Function>()) {
    const Function& function = *own.function<Function>(global);
    const GlobalId id = module.NameGlobal(own.name(global));
    if (module.function(id) == nullptr) {
      module.SetFunction(id, std::make_shared<Function>(Import(own, function, module)));
      continue;
    }
    const Function* present = module.function<Function>(id);
    if (present == nullptr || present->params().size() != function.params().size()) return false;
  }
  return true;
}

}  // namespace

auto AddGradCell(Module& module) -> std::optional<GradCell> {
  Context& context = module.context();
  const StringId type = context.Intern("GradCell");
  if (!Define(module, type)) return std::nullopt;
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
