// Passes: what they are, how one is described, how one runs. Everything that the file of a pass needs.
//
// A pass is one file in lib/relay/transforms: an essay, its options, a struct with Run, and a row:
//
//   namespace {
//   struct FoldConstant {
//     struct Options { ... } options;
//     auto Run(const Module& module, GlobalId id, const Function& function, PassContext& context) const
//         -> Result<std::optional<Function>>;
//   };
//   }  // namespace
//
//   constinit const PassDef kFoldConstantPass = DescribePass<FoldConstant>({
//       .name = "FoldConstant", .opt_level = 2, .required = "InferType", .summary = "...", .details = R"(...)"});
//
// One line in relayopt/relay/transforms/passes.def lists it. The parameter `function` says which kind of functions the
// pass is over: with `const Toy&` and Toys for results it is one over Toys, and leaves functions of other kinds alone.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/pass/options.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/support/result.h"

namespace relayopt {

class Pass;
using PassRef = std::shared_ptr<const Pass>;

// A pass with its options, ready to run. Immutable.
class Pass : public std::enable_shared_from_this<Pass> {
 public:
  explicit Pass(PassInfo info) : info_(std::move(info)) {}
  Pass(const Pass&) = delete;
  auto operator=(const Pass&) -> Pass& = delete;
  virtual ~Pass();

  auto info() const -> const PassInfo& { return info_; }
  // The passes that it runs one after the other; none of a pass that is no sequence.
  virtual auto passes() const -> std::span<const PassRef> { return {}; }

  // Runs the pass, whatever its level, in the current context or in `context`.
  auto operator()(Module module) const -> Result<Module>;
  auto operator()(Module module, PassContext& context) const -> Result<Module>;
  // The same in place: the vote of the instruments, the pass, their callbacks after it. True when the module changed;
  // after an error the module is well-formed, but may be half-way.
  auto Apply(Module& module, PassContext& context) const -> Result<bool>;

 protected:
  // The body, between the callbacks.
  virtual auto Run(Module& module, PassContext& context) const -> Result<bool> = 0;

 private:
  PassInfo info_;
};

// What all passes over functions of some kind have in common: they rewrite functions one by one; afterwards the kind
// brings all its functions up to date (for Relay a nested InferType, which instruments see). They leave out the
// functions that the kind says are left alone, and those of other kinds.
class AnyFunctionPass : public Pass {
 public:
  AnyFunctionPass(PassInfo info, const FunctionKind& kind) : Pass(std::move(info)), kind_(&kind) {}

  auto function_kind() const -> const FunctionKind& { return *kind_; }
  // The new function, or null when it stays as it is.
  virtual auto RunOnGlobal(const Module& module, GlobalId id, PassContext& context) const
      -> Result<GlobalFunctionRef> = 0;

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> final;

 private:
  const FunctionKind* kind_;
};

// A pass over the functions of the class F.
template <typename F>
class FunctionPass : public AnyFunctionPass {
 public:
  explicit FunctionPass(PassInfo info) : AnyFunctionPass(std::move(info), F::kFunctionKind) {}

  // The new function, or nothing when it stays as it is. `module` is the module before the pass. May run in several
  // threads.
  virtual auto RunOnFunction(const Module& module, GlobalId id, const F& function, PassContext& context) const
      -> Result<std::optional<F>> = 0;

  auto RunOnGlobal(const Module& module, GlobalId id, PassContext& context) const -> Result<GlobalFunctionRef> final {
    RELAYOPT_TRY(std::optional<F> made, RunOnFunction(module, id, *module.function<F>(id), context));
    return made ? GlobalFunctionRef(std::make_shared<const F>(*std::move(made))) : nullptr;
  }
};

// Rewrites a module as a whole. Functions are not brought up to date afterwards unless the context says so.
class ModulePass : public Pass {
 public:
  using Pass::Pass;

  // The new module, or nothing when it stays as it is.
  virtual auto RunOnModule(const Module& module, PassContext& context) const -> Result<std::optional<Module>> = 0;

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> final;
};

// Runs passes one after the other: those that the context enables, each preceded by the passes it requires (which run
// whatever the context says, and without the passes that they require).
class Sequential final : public Pass {
 public:
  explicit Sequential(std::vector<PassRef> passes, PassInfo info = {0, "sequential", {}})
      : Pass(AsSequence(std::move(info))), passes_(std::move(passes)) {}

  auto passes() const -> std::span<const PassRef> override { return passes_; }

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> override;

 private:
  static auto AsSequence(PassInfo info) -> PassInfo {
    info.is_sequence = true;
    return info;
  }

  std::vector<PassRef> passes_;
};

// The pass that brings functions of a kind up to date, and does nothing where they are; null when that kind needs none.
auto UpdatePass(const FunctionKind& kind) -> PassRef;

// How far a pass keeps the values that a program computes; checks of passes go by it.
enum class Exactness : uint8_t {
  kExact,        // bit for bit
  kApproximate,  // up to rounding
  kReorders,     // up to rounding in an order that the program leaves open
  kNarrows,      // up to the rounding of floats of 16 bits, which results may have become
  kQuantizes,    // up to some steps of quantized numbers, for finite values
  kExtends,      // bit for bit, as the first field of a tuple
  kChanges,      // another program: layouts of parameters, integers for floats
};

// What a pass works on. Of passes over functions PassDef::functions says which kind of functions.
enum class PassKind : uint8_t { kFunction, kModule, kSequence };

// The row of a pass: everything that relayopt knows about it. A missing field means what its comment says.
struct PassDef {
  // The reference's registered name without its prefix, `FoldConstant`.
  std::string_view name;
  // PassInfo::name where it differs.
  std::string_view info_name = {};
  int opt_level = 0;
  // Comma-separated.
  std::string_view required = {};
  // One line.
  std::string_view summary;
  // What --help-pass prints: before and after, why it is right, what it leaves alone.
  std::string_view details = {};
  // Further names that are accepted, comma-separated.
  std::string_view aliases = {};
  Exactness exactness = Exactness::kExact;
  // Of an approximate pass: in a strict context (PassContextOptions::strict_fp) only those of its rewrites are left
  // out that change bits, and not the pass as a whole.
  bool obeys_strict_fp = false;
  // A second run changes nothing.
  bool idempotent = false;
  // Not shown in lists.
  bool hidden = false;
  // What the pass counts.
  std::span<const Statistic> statistics = {};
  // A pipeline that the pass stands for; `create` is null then.
  std::string_view sequence = {};
  // The key of the context's config that has values for options which are not given (Options::kConfigKey).
  std::string_view config = {};

  // Filled in by DescribePass; or, by hand, a factory that gets options of this schema.
  PassKind kind = PassKind::kSequence;
  const FunctionKind* functions = nullptr;
  const OptionsSchema* options = &kNoOptions;
  auto(*create)(const PassDef& def, const PassOptions& options) -> Result<PassRef> = nullptr;
};

// The info of passes that this row makes.
auto InfoOf(const PassDef& def) -> PassInfo;
// What lists say that the pass works on: `function` (or what the level of its kind of functions is called), `module`,
// `sequence`.
auto KindName(const PassDef& def) -> std::string_view;

namespace pass_internal {

// The class of functions that P's Run takes: only for overload resolution.
template <typename P, typename F>
auto FunctionClassOf(Result<std::optional<F>> (P::*run)(const Module&, GlobalId, const F&, PassContext&) const) -> F;

template <typename P>
concept IsFunctionPass = requires {
  FunctionClassOf(&P::Run);
};
template <typename P>
concept IsModulePass = requires(const P& pass, const Module& module, PassContext& context) {
  { pass.Run(module, context) } -> std::same_as<Result<std::optional<Module>>>;
};
template <typename P>
concept HasOptions = requires {
  typename P::Options;
};

template <typename P>
concept HasConfigKey = requires {
  P::Options::kConfigKey;
};

template <IsFunctionPass P>
using FunctionClass = decltype(FunctionClassOf(&P::Run));

template <typename P>
class FunctionPassOf final : public FunctionPass<FunctionClass<P>> {
 public:
  using F = FunctionClass<P>;

  FunctionPassOf(PassInfo info, P pass) : FunctionPass<F>(std::move(info)), pass_(std::move(pass)) {}
  auto RunOnFunction(const Module& module, GlobalId id, const F& function, PassContext& context) const
      -> Result<std::optional<F>> override {
    return pass_.Run(module, id, function, context);
  }

 private:
  P pass_;
};

// A function pass that looks for options in the config of its context.
template <HasConfigKey P>
class ConfiguredPassOf final : public FunctionPass<FunctionClass<P>> {
 public:
  using F = FunctionClass<P>;

  ConfiguredPassOf(PassInfo info, PassOptions options)
      : FunctionPass<F>(std::move(info)), options_(std::move(options)) {}
  auto RunOnFunction(const Module& module, GlobalId id, const F& function, PassContext& context) const
      -> Result<std::optional<F>> override {
    const PassOptions options = context.Configured(P::Options::kConfigKey, options_);
    return P{options.As<typename P::Options>()}.Run(module, id, function, context);
  }

 private:
  PassOptions options_;
};

template <typename P>
class ModulePassOf final : public ModulePass {
 public:
  ModulePassOf(PassInfo info, P pass) : ModulePass(std::move(info)), pass_(std::move(pass)) {}
  auto RunOnModule(const Module& module, PassContext& context) const -> Result<std::optional<Module>> override {
    return pass_.Run(module, context);
  }

 private:
  P pass_;
};

}  // namespace pass_internal

// A pass from a struct with Run, as a part of a sequence that has no row of its own.
template <typename P>
auto MakePass(PassInfo info, P pass = {}) -> PassRef {
  if constexpr (pass_internal::IsFunctionPass<P>) {
    return std::make_shared<pass_internal::FunctionPassOf<P>>(std::move(info), std::move(pass));
  } else {
    static_assert(pass_internal::IsModulePass<P>, "Run must be that of a function pass or of a module pass");
    return std::make_shared<pass_internal::ModulePassOf<P>>(std::move(info), std::move(pass));
  }
}

// The same for options that the config of the context may have values for.
template <pass_internal::HasConfigKey P>
auto MakeConfiguredPass(PassInfo info, const PassOptions& options) -> PassRef {
  return std::make_shared<pass_internal::ConfiguredPassOf<P>>(std::move(info), options);
}

// Fills in the kind, the options and the factory of the row of P.
template <typename P>
constexpr auto DescribePass(PassDef def) -> PassDef {
  def.kind = PassKind::kModule;
  if constexpr (pass_internal::IsFunctionPass<P>) {
    def.kind = PassKind::kFunction;
    def.functions = &pass_internal::FunctionClass<P>::kFunctionKind;
  }
  if constexpr (pass_internal::HasConfigKey<P>) {
    def.config = P::Options::kConfigKey;
    def.options = &kOptionsSchema<typename P::Options>;
    def.create = [](const PassDef& row, const PassOptions& options) -> Result<PassRef> {
      return MakeConfiguredPass<P>(InfoOf(row), options);
    };
  } else if constexpr (pass_internal::HasOptions<P>) {
    def.options = &kOptionsSchema<typename P::Options>;
    def.create = [](const PassDef& row, const PassOptions& options) -> Result<PassRef> {
      return MakePass<P>(InfoOf(row), P{options.As<typename P::Options>()});
    };
  } else {
    def.create = [](const PassDef& row, const PassOptions&) -> Result<PassRef> { return MakePass<P>(InfoOf(row)); };
  }
  return def;
}

namespace pass_internal {

template <typename F>
struct CallableFunctionPass {
  std::function<Result<std::optional<F>>(const Module&, GlobalId, const F&, PassContext&)> body;
  auto Run(const Module& module, GlobalId id, const F& function, PassContext& context) const
      -> Result<std::optional<F>> {
    return body(module, id, function, context);
  }
};
template <typename F>
CallableFunctionPass(std::function<Result<std::optional<F>>(const Module&, GlobalId, const F&, PassContext&)>)
    -> CallableFunctionPass<F>;

}  // namespace pass_internal

// Passes from callables; that of a function pass is like the Run of a struct.
template <typename Body>
auto CreateFunctionPass(Body body, int opt_level, std::string name, std::vector<std::string> required = {}) -> PassRef {
  return MakePass(PassInfo{opt_level, std::move(name), std::move(required)},
                  pass_internal::CallableFunctionPass{std::function(std::move(body))});
}
auto CreateModulePass(std::function<Result<std::optional<Module>>(const Module&, PassContext&)> body, int opt_level,
                      std::string name, std::vector<std::string> required = {}) -> PassRef;

}  // namespace relayopt
