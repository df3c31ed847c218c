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

// A pass together with its options, ready to run. Immutable.
class Pass : public std::enable_shared_from_this<Pass> {
 public:
  explicit Pass(PassInfo info) : info_(std::move(info)) {}
  Pass(const Pass&) = delete;
  auto operator=(const Pass&) -> Pass& = delete;
  virtual ~Pass();

  auto info() const -> const PassInfo& { return info_; }
  // Returns the passes that a sequence runs one after the other, or empty for other passes.
  virtual auto passes() const -> std::span<const PassRef> { return {}; }

  // Runs the pass in the current context, or in `context`, whatever its optimization level.
  auto operator()(Module module) const -> Result<Module>;
  auto operator()(Module module, PassContext& context) const -> Result<Module>;
  // Runs the pass on the module in place: asks the instruments, runs the pass, calls the instruments again. True when
  // the module changed. After an error the module is well-formed, but the pass may have done half of its work.
  auto Apply(Module& module, PassContext& context) const -> Result<bool>;

 protected:
  // Returns the pass itself, without the callbacks of instruments.
  virtual auto Run(Module& module, PassContext& context) const -> Result<bool> = 0;

 private:
  PassInfo info_;
};

// The common part of all function passes. They rewrite functions one by one; afterwards the kind brings its functions
// up to date (for Relay by a nested InferType, which instruments see). Functions of other kinds, and those that the
// kind leaves alone, are skipped.
class AnyFunctionPass : public Pass {
 public:
  AnyFunctionPass(PassInfo info, const FunctionKind& kind) : Pass(std::move(info)), kind_(&kind) {}

  auto function_kind() const -> const FunctionKind& { return *kind_; }
  // Returns the new function, or null if it stays as it is.
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

  // Returns the new function, or nothing if it stays as it is. `module` is the module before the pass. May be called by
  // several threads.
  virtual auto RunOnFunction(const Module& module, GlobalId id, const F& function, PassContext& context) const
      -> Result<std::optional<F>> = 0;

  auto RunOnGlobal(const Module& module, GlobalId id, PassContext& context) const -> Result<GlobalFunctionRef> final {
    RELAYOPT_TRY(std::optional<F> made, RunOnFunction(module, id, *module.function<F>(id), context));
    return made ? GlobalFunctionRef(std::make_shared<const F>(*std::move(made))) : nullptr;
  }
};

// A pass that rewrites a module as a whole. Afterwards functions are brought up to date only when the context says so.
class ModulePass : public Pass {
 public:
  using Pass::Pass;

  // Returns the new module, or nothing if it stays as it is.
  virtual auto RunOnModule(const Module& module, PassContext& context) const -> Result<std::optional<Module>> = 0;

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> final;
};

// Runs passes one after the other. It leaves out passes that the context disables, and precedes each by the passes that
// it requires. Required passes run whatever the context says, and without the passes that they themselves require.
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

// Returns the pass that brings functions of a kind up to date, and does nothing when they are already, or null if the
// kind needs no such pass.
auto UpdatePass(const FunctionKind& kind) -> PassRef;

// How exactly a pass preserves the values that a program computes. Validation compares accordingly.
enum class Exactness : uint8_t {
  kExact,        // bit for bit
  kApproximate,  // up to rounding
  kReorders,     // up to rounding in an order that the program leaves open
  kNarrows,      // up to the rounding of floats of 16 bits, which results may have become
  kQuantizes,    // up to some steps of quantized numbers, for finite values
  kExtends,      // bit for bit, as the first field of a tuple
  kChanges,      // another program: layouts of parameters, integers for floats
};

// What a pass works on. For function passes PassDef::functions determines the kind of functions.
enum class PassKind : uint8_t { kFunction, kModule, kSequence };

// The row of a pass: everything that relayopt knows about it. The comment of a field says what it means to leave it
// out.
struct PassDef {
  // The name under which TVM registers the pass, without prefix: `FoldConstant`.
  std::string_view name;
  // PassInfo::name where it differs from `name`.
  std::string_view info_name = {};
  int opt_level = 0;
  // Comma-separated names of the passes that have to run before.
  std::string_view required = {};
  // One line for lists.
  std::string_view summary;
  // The text of --help-pass: an example before and after, why the rewrite is right, and what the pass leaves alone.
  std::string_view details = {};
  // Further names that are accepted, comma-separated.
  std::string_view aliases = {};
  Exactness exactness = Exactness::kExact;
  // Only for approximate passes. True: in a strict context (PassContextOptions::strict_fp) the pass itself leaves out
  // its rewrites that change bits. False: the whole pass is left out.
  bool obeys_strict_fp = false;
  // Whether a second run directly after the first changes nothing.
  bool idempotent = false;
  // Whether lists do not show the pass.
  bool hidden = false;
  // The statistics that the pass counts.
  std::span<const Statistic> statistics = {};
  // The pipeline that the pass is a name for; `create` is null then.
  std::string_view sequence = {};
  // The key of the context's config (Options::kConfigKey) that supplies the options which are not given explicitly.
  std::string_view config = {};

  // Filled in by DescribePass. A row without DescribePass names a factory instead, which gets options of this schema.
  PassKind kind = PassKind::kSequence;
  const FunctionKind* functions = nullptr;
  const OptionsSchema* options = &kNoOptions;
  auto(*create)(const PassDef& def, const PassOptions& options) -> Result<PassRef> = nullptr;
};

// Returns the info of the passes that this row makes.
auto InfoOf(const PassDef& def) -> PassInfo;
// The kind of the pass for lists: `module`, `sequence`, or the pass level of its kind of functions, such as `function`.
auto KindName(const PassDef& def) -> std::string_view;

namespace pass_internal {

// Finds the class of functions that P's Run takes; used for overload resolution only.
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

// A function pass that takes options which are not given from the config of its context.
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

// Makes a pass from a struct with Run, to be part of a sequence; it has no row of its own.
template <typename P>
auto MakePass(PassInfo info, P pass = {}) -> PassRef {
  if constexpr (pass_internal::IsFunctionPass<P>) {
    return std::make_shared<pass_internal::FunctionPassOf<P>>(std::move(info), std::move(pass));
  } else {
    static_assert(pass_internal::IsModulePass<P>, "Run must be that of a function pass or of a module pass");
    return std::make_shared<pass_internal::ModulePassOf<P>>(std::move(info), std::move(pass));
  }
}

// The same for a struct whose options may come from the config of the context.
template <pass_internal::HasConfigKey P>
auto MakeConfiguredPass(PassInfo info, const PassOptions& options) -> PassRef {
  return std::make_shared<pass_internal::ConfiguredPassOf<P>>(std::move(info), options);
}

// Completes the row of P with its kind, options and factory.
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

// Make passes from callables with the same parameters as the Run of a struct.
template <typename Body>
auto CreateFunctionPass(Body body, int opt_level, std::string name, std::vector<std::string> required = {}) -> PassRef {
  return MakePass(PassInfo{opt_level, std::move(name), std::move(required)},
                  pass_internal::CallableFunctionPass{std::function(std::move(body))});
}
auto CreateModulePass(std::function<Result<std::optional<Module>>(const Module&, PassContext&)> body, int opt_level,
                      std::string name, std::vector<std::string> required = {}) -> PassRef;

}  // namespace relayopt
