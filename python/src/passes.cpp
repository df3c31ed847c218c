// Passes, contexts and instruments.
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.h"
#include "relayopt/check/overview.h"
#include "relayopt/pass/instruments.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/pass/registry.h"
#include "relayopt/pass/remarks.h"
#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/pass_callbacks.h"
#include "relayopt/report/report.h"

namespace relayopt::python {
namespace {

using graph::ModuleObj;

auto Names(std::string_view list) -> nb::list {
  nb::list names;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, end);
    while (name.starts_with(' ')) name.remove_prefix(1);
    names.append(Text(name));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return names;
}

auto OptionToPython(const OptionValue& value) -> nb::object {
  return std::visit(
      [](const auto& v) -> nb::object {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_same_v<T, JsonText>) {
          return Text(v.text);
        } else if constexpr (std::is_same_v<T, StringListMap>) {
          nb::dict map;
          for (const auto& [key, list] : v) map[Text(key)] = nb::cast(list);
          return map;
        } else {
          return nb::cast(v);
        }
      },
      value);
}

auto OptionFromPython(std::string_view name, OptionKind kind, nb::handle value) -> OptionValue {
  const auto wrong = [&]() -> nb::builtin_exception {
    return nb::type_error(fmt::format("{} must be {}, not {}", name, KindName(kind), nb::repr(value).c_str()).c_str());
  };
  try {
    switch (kind) {
      case OptionKind::kBool:
        if (!nb::isinstance<nb::bool_>(value) && !nb::isinstance<nb::int_>(value)) throw wrong();
        return nb::cast<int64_t>(value) != 0;
      case OptionKind::kInt: return nb::cast<int64_t>(value);
      case OptionKind::kDouble: return nb::cast<double>(value);
      case OptionKind::kString: return nb::cast<std::string>(value);
      case OptionKind::kStringList: return nb::cast<std::vector<std::string>>(value);
      case OptionKind::kJson: return JsonText{nb::cast<std::string>(value)};
      case OptionKind::kStringListMap: {
        StringListMap map;
        for (const auto& [key, list] : nb::cast<nb::dict>(value)) {
          map.emplace_back(nb::cast<std::string>(key), nb::cast<std::vector<std::string>>(list));
        }
        return map;
      }
    }
  } catch (const nb::cast_error&) {
    throw wrong();
  }
  throw wrong();
}

// The table of passes, for the factories.
auto PassTable() -> nb::list {
  nb::list all;
  for (const PassDef* def : AllPasses()) {
    nb::dict row;
    row["name"] = Text(def->name);
    row["info_name"] = Text(def->info_name.empty() ? def->name : def->info_name);
    row["opt_level"] = def->opt_level;
    row["required"] = Names(def->required);
    row["summary"] = Text(def->summary);
    row["details"] = Text(def->details);
    row["kind"] = def->kind == PassKind::kFunction ? "function"
                  : def->kind == PassKind::kModule ? "module"
                                                   : "sequence";
    const PassOptions defaults(*def->options);
    nb::list options;
    for (const OptionInfo& option : def->options->fields) {
      options.append(
          nb::make_tuple(Text(option.name), Text(option.doc), option.required, OptionToPython(defaults.Get(option))));
    }
    row["options"] = options;
    all.append(row);
  }
  return all;
}

auto MakePass(const std::string& name, nb::dict given) -> PassHandle {
  const PassDef* const def = FindPass(name);
  if (def == nullptr) {
    throw nb::value_error(fmt::format("unknown pass {}{}", name, DidYouMeanPass(name)).c_str());
  }
  PassOptions options(*def->options);
  for (const auto& [key, value] : given) {
    const auto text = nb::cast<std::string>(key);
    const OptionInfo* const option = def->options->Find(text);
    if (option == nullptr) throw nb::type_error(fmt::format("{} has no option {}", name, text).c_str());
    if (auto error = options.Set(*option, OptionFromPython(fmt::format("{}: {}", name, text), option->kind, value))) {
      Throw(*error);
    }
  }
  return {OrThrow(CreatePass(*def, options))};
}

auto InfoTuple(const PassInfo& info) -> nb::object {
  nb::list required;
  for (const std::string& name : info.required) required.append(Text(name));
  return nb::make_tuple(info.opt_level, Text(info.name), required, info.is_sequence);
}

// Hands modules of the core to Python and keeps who is who: a module that has not changed is the same object.
class ModuleWrapperCache {
 public:
  explicit ModuleWrapperCache(Ref<ModuleObj> first) : last_(std::move(first)) {}

  auto Of(const Module& module) -> Ref<ModuleObj> {
    if (!Same(module)) last_ = ModuleObj::FromCore(last_->lineage(), module, last_.get());
    return last_;
  }

 private:
  auto Same(const Module& module) const -> bool {
    size_t count = 0;
    for (const Global& global : module.globals()) {
      if (global.function == nullptr) continue;
      ++count;
      const auto found = last_->functions().find(module.context().text(global.name));
      if (found == last_->functions().end()) return false;
      const auto* const face = graph::FaceOf(*found->second);
      if (face == nullptr || face->table != global.function) return false;
    }
    return count == last_->functions().size();
  }

  Ref<ModuleObj> last_;
};

// Calls the Python instruments of a context around the passes that run inside of the core.
class PythonInstruments final : public PassInstrument {
 public:
  PythonInstruments(nb::object callbacks, ModuleWrapperCache& wrappers)
      : callbacks_(std::move(callbacks)), wrappers_(wrappers) {}

  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override {
    const Locked locked;
    try {
      const nb::object vote = Call("should_run", module, info, nb::none());
      return nb::cast<bool>(vote);
    } catch (...) {
      return ParkCurrentException();
    }
  }
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override {
    return Notify("before", module, info, nb::none());
  }
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override {
    const Locked locked;
    return Notify("after", module, info, nb::bool_(changed));
  }

 private:
  auto Call(const char* name, const Module& module, const PassInfo& info, const nb::object& changed) -> nb::object {
    return CallPython(callbacks_.attr(name), ToObject(wrappers_.Of(module).get()), InfoTuple(info), changed);
  }
  auto Notify(const char* name, const Module& module, const PassInfo& info, const nb::object& changed)
      -> std::optional<Diagnostic> {
    const Locked locked;
    try {
      Call(name, module, info, changed);
      return std::nullopt;
    } catch (...) {
      return ParkCurrentException();
    }
  }

  nb::object callbacks_;
  ModuleWrapperCache& wrappers_;
};

// The module that this thread runs a pass on, and its objects.
struct Running {
  graph::LineageRef lineage;
  const Module* module;
};
thread_local Running* t_running = nullptr;

// Sets it for as long as the scope lives, however that ends.
class RunningScope {
 public:
  RunningScope(graph::LineageRef lineage, const Module* module)
      : running_{std::move(lineage), module}, outer_(std::exchange(t_running, &running_)) {}
  RunningScope(const RunningScope&) = delete;
  auto operator=(const RunningScope&) -> RunningScope& = delete;
  ~RunningScope() { t_running = outer_; }

 private:
  Running running_;
  Running* const outer_;
};

// Functions of Python that passes of the core ask, in the context that is passed. The first error ends the asking and
// is raised after the pass.
class Callbacks final : public PassCallbacks {
 public:
  explicit Callbacks(nb::dict functions) : functions_(std::move(functions)) {
    if (functions_.contains("supports")) {
      supports = [this](std::string_view compiler, const Function& function, ExprId call) -> std::optional<bool> {
        return Ask([&]() -> std::optional<bool> {
          const nb::object answer = CallPython(functions_["supports"], Text(compiler), CallObject(function, call));
          if (answer.is_none()) return std::nullopt;
          return nb::cast<bool>(answer);
        });
      };
    }
    if (functions_.contains("choose_layout")) {
      choose_layout = [this](const Function& function, ExprId call, AttrsId attrs) -> std::optional<OpInstance> {
        return Ask([&] { return Choose(function, call, attrs); });
      };
    }
    if (functions_.contains("infer_layout")) {
      infer_layout = [this](const OpDef& op, LayoutRuleContext& rule) -> std::optional<bool> {
        return Ask([&] { return Infer(op, rule); });
      };
    }
    if (functions_.contains("skips")) {
      skips = [this](const Function& function, ExprId expr) {
        return Ask([&]() -> std::optional<bool> {
          const nb::object answer = CallPython(functions_["skips"], CallObject(function, expr));
          return PyObject_IsTrue(answer.ptr()) != 0;
        });
      };
    }
    if (functions_.contains("composite_matches")) {
      composite_matches = [this](std::string_view compiler, const Function& function) {
        return Ask([&] { return Matches(compiler, function); });
      };
    }
    if (functions_.contains("estimate_cost")) {
      estimate_cost = [this](const Module& module, std::string_view target) {
        return Ask([&]() -> std::optional<double> {
          const auto object = ModuleObj::FromCore(t_running->lineage, module, nullptr);
          return nb::cast<double>(CallPython(functions_["estimate_cost"], ToObject(object.get()), Text(target)));
        });
      };
    }
  }

  // The exception that the functions raised; none if they succeeded.
  auto failure() const -> const std::optional<Diagnostic>& { return failure_; }

 private:
  template <typename F>
  auto Ask(F&& ask) -> decltype(ask()) {
    if (failure_) return std::nullopt;
    const Locked locked;
    try {
      return ask();
    } catch (...) {
      failure_ = ParkCurrentException();
      return std::nullopt;
    }
  }

  auto ObjectOf(const Function& function, ExprId id) -> Ref<object::SlotObj> {
    if (thawed_ != &function) {
      objects_ = graph::ThawAll(*t_running->lineage, *t_running->module, function);
      thawed_ = &function;
    }
    return Ref<object::SlotObj>(static_cast<object::SlotObj*>(objects_[id.value()].get()));
  }
  // The function gets the compiler and the function; it returns [(name of the composite, covered expressions)].
  auto Matches(std::string_view compiler, const Function& function) -> std::optional<std::vector<CompositeMatch>> {
    const nb::object root = CallObject(function, function.root());
    absl::flat_hash_map<const Object*, ExprId> ids;
    for (const ExprId id : function.ids()) ids.emplace(objects_[id.value()].get(), id);
    std::vector<CompositeMatch> matches;
    for (const nb::handle each : CallPython(functions_["composite_matches"], Text(compiler), root)) {
      CompositeMatch& match = matches.emplace_back(CompositeMatch{nb::cast<std::string>(each[0]), {}});
      for (const nb::handle expr : nb::object(each[1])) {
        const auto found = ids.find(Unwrap(expr.ptr()));
        if (found != ids.end()) match.inside.push_back(found->second);
      }
    }
    return matches;
  }
  auto CallObject(const Function& function, ExprId id) -> nb::object { return ToObject(ObjectOf(function, id).get()); }

  auto Choose(const Function& function, ExprId call, AttrsId attrs) -> std::optional<OpInstance> {
    graph::Lineage& lineage = *t_running->lineage;
    const auto before = ObjectOf(function, call);
    auto shown = object::SlotObj::Create(before->type_index(), before->slots());
    shown->set(graph::slot::kAttrs, lineage.ObjectOf(attrs));
    const nb::object answer = CallPython(functions_["choose_layout"], ToObject(shown.get()));
    if (answer.is_none()) return std::nullopt;
    Object* const made = Unwrap(answer.ptr());
    if (!graph::IsExactly(made, graph::Node::kCall)) return std::nullopt;
    const auto slots = graph::SlotsOf(*made);
    const OpDef* const op =
        FindOp(graph::SlotsOf(*slots[graph::slot::kCallee].object())[graph::slot::kNameHint].text());
    auto new_attrs = lineage.AttrsIdOf(slots[graph::slot::kAttrs]);
    if (op == nullptr || !new_attrs) return std::nullopt;
    return OpInstance{op, *new_attrs};
  }

  // The function gets the operator's name, attributes, the layouts of the inputs that are at hand (None in the first
  // round) and those before, and their types; it returns None, or layouts of inputs and results and the attributes.
  auto Infer(const OpDef& op, LayoutRuleContext& rule) -> std::optional<bool> {
    graph::Lineage& lineage = *t_running->lineage;
    const auto name_of = [&](LayoutId id) -> std::string { return id ? rule.layouts()[id].name() : std::string(); };
    nb::list before;
    nb::list now;
    nb::list types;
    for (size_t i = 0; i < rule.size(); ++i) {
      before.append(name_of(rule.old_layout(i)));
      if (rule.has_new()) now.append(name_of(rule.new_layout(i)));
      types.append(ToObject(lineage.ObjectOf(rule.type(i))));
    }
    const nb::object attrs = ToObject(lineage.ObjectOf(rule.attrs_id()));
    const nb::object answer = CallPython(functions_["infer_layout"], Text(op.name), attrs,
                                         rule.has_new() ? nb::object(now) : nb::none(), before, types);
    if (answer.is_none()) return std::nullopt;
    const auto [inputs, outputs, made] =
        nb::cast<std::tuple<std::vector<std::string>, std::vector<std::string>, nb::object>>(answer);
    const auto ids_of = [&](const std::vector<std::string>& names) {
      LayoutIds ids;
      for (const std::string& name : names) ids.push_back(rule.Parse(name));
      return ids;
    };
    Value value;
    if (!FromPython(made.ptr(), value)) throw nb::python_error();
    const Result<AttrsId> new_attrs = lineage.AttrsIdOf(value);
    if (!new_attrs) return false;
    rule.set_attrs_id(*new_attrs);
    return rule.Done(ids_of(inputs), ids_of(outputs));
  }

  nb::dict functions_;
  std::optional<Diagnostic> failure_;
  const Function* thawed_ = nullptr;
  std::vector<Ref<Object>> objects_;
};

// The instruments that count, record and check what passes of the core do.
void AddObservers(const nb::dict& context, PassContextOptions& options) {
  options.warn_about_skipped_passes = nb::cast<bool>(context["warn_about_skipped_passes"]);
  for (const nb::handle observer : nb::cast<nb::list>(context["observers"])) {
    if (std::shared_ptr<RemarkLog> log; nb::try_cast(observer, log)) {
      options.remarks = log;
      options.instruments.push_back(log);
    } else if (std::shared_ptr<VerifyInstrument> verifier; nb::try_cast(observer, verifier)) {
      options.instruments.push_back(verifier);
    } else if (std::shared_ptr<OverviewInstrument> overview; nb::try_cast(observer, overview)) {
      options.instruments.push_back(overview);
    } else if (std::shared_ptr<RunRecorder> recorder; nb::try_cast(observer, recorder)) {
      options.instruments.push_back(recorder);
    } else {
      options.statistics = nb::cast<std::shared_ptr<Statistics>>(observer);
    }
  }
}

// [(kind, pass, name, function, message)]
auto TakeRemarks(RemarkLog& log) -> nb::list {
  nb::list all;
  for (const Remark& remark : log.Take()) {
    const char* const kind = remark.kind == RemarkKind::kPassed   ? "passed"
                             : remark.kind == RemarkKind::kMissed ? "missed"
                                                                  : "analysis";
    all.append(nb::make_tuple(Text(kind), Text(remark.pass), Text(remark.name), Text(remark.function),
                              Text(remark.message())));
  }
  return all;
}

// run_pass(pass, module, context): context is a dict of what PassContextOptions has. Gives the module itself when
// nothing changed.
auto RunPass(const PassHandle& handle, nb::handle module, nb::dict context) -> nb::object {
  Ref<ModuleObj> box(&ModuleOf(module));
  Module core = OrThrow(box->Core());
  PassContextOptions options = ContextOptionsOf(context);
  ModuleWrapperCache wrappers(box);
  AddObservers(context, options);
  const nb::object callbacks = context["instruments"];
  if (!callbacks.is_none()) options.instruments.push_back(std::make_shared<PythonInstruments>(callbacks, wrappers));
  std::shared_ptr<Callbacks> asked;
  if (context.contains("callbacks")) {
    asked = std::make_shared<Callbacks>(nb::cast<nb::dict>(context["callbacks"]));
    options.instruments.push_back(asked);
  }
  // Python runs in one thread at a time, and knows the objects of the module in the thread that called it.
  if (asked != nullptr || HasTypeFunctions()) options.threads = 1;
  const PassContextRef pass_context = OrThrow(PassContext::Create(std::move(options)));
  // The texts of diagnostics point into what the module was read from.
  const auto source = core.source();
  std::optional<Diagnostic> error;
  bool changed = false;
  {
    const RunningScope running(box->lineage(), &core);
    const Unlocked unlocked;
    auto result = handle.pass->Apply(core, *pass_context);
    if (result) {
      changed = *result;
    } else {
      error = std::move(result).error();
    }
  }
  const auto failure = TakeRuleFailure();
  if (asked != nullptr && asked->failure()) Throw(*asked->failure());
  if (error) {
    if (failure) Throw(*failure);
    std::string text;
    std::vector<DiagnosticRecord> records;
    for (const Diagnostic& each : pass_context->diagnostics().diagnostics()) {
      text += Render(each, source.get()) + "\n";
      records.push_back(MakeRecord(each, source.get()));
    }
    records.push_back(MakeRecord(*error, source.get()));
    SetError(*error, text + Render(*error, source.get()), records);
    throw nb::python_error();
  }
  ThrowOrWarn(pass_context->diagnostics(), source.get());
  if (!changed) return nb::borrow(module);
  return ToObject(wrappers.Of(core).get());
}

// [(key, kind, number of the kind, default, doc, options of the pass by name)]
auto ConfigTable() -> nb::list {
  nb::list all;
  for (const ConfigOption* option : ConfigOptions()) {
    nb::object fields = nb::none();
    if (option->fields != nullptr) {
      nb::dict defaults;
      for (const OptionInfo& field : option->fields->fields) {
        defaults[Text(field.name)] = OptionToPython(PassOptions(*option->fields).Get(field));
      }
      fields = defaults;
    }
    all.append(nb::make_tuple(Text(option->key), Text(KindName(option->kind)), static_cast<int>(option->kind),
                              Text(option->default_text), Text(option->doc), fields));
  }
  return all;
}

}  // namespace

auto ContextOptionsOf(const nb::dict& context) -> PassContextOptions {
  PassContextOptions options;
  options.opt_level = nb::cast<int>(context["opt_level"]);
  options.threads = nb::cast<size_t>(context["threads"]);
  options.required_pass = nb::cast<std::vector<std::string>>(context["required_pass"]);
  options.disabled_pass = nb::cast<std::vector<std::string>>(context["disabled_pass"]);
  options.functions = nb::cast<std::vector<std::string>>(context["functions"]);
  options.target = nb::cast<std::string>(context["target"]);
  options.strict_fp = nb::cast<bool>(context["strict_fp"]);
  for (const auto& [key, value] : nb::cast<nb::dict>(context["config"])) {
    const auto name = nb::cast<std::string>(key);
    const ConfigOption* const option = FindConfigOption(name);
    if (option != nullptr) options.config.emplace(name, OptionFromPython(name, option->kind, value));
  }
  return options;
}

auto RunningLineage() -> graph::Lineage* { return t_running == nullptr ? nullptr : t_running->lineage.get(); }

void AddPasses(nb::module_& m) {
  nb::class_<PassHandle>(m, "PassHandle")
      .def_prop_ro("info", [](const PassHandle& handle) { return InfoTuple(handle.pass->info()); })
      .def_prop_ro("passes", [](const PassHandle& handle) {
        nb::list all;
        for (const PassRef& pass : handle.pass->passes()) all.append(PassHandle{pass});
        return all;
      });
  nb::class_<Statistics>(m, "Statistics").def(nb::init<>()).def("json", &Statistics::RenderJson);
  nb::class_<VerifyInstrument>(m, "Verifier").def(nb::init<>());
  nb::class_<OverviewInstrument>(m, "Overview").def(nb::init<>());
  nb::class_<RunRecorder>(m, "RunRecorder").def(nb::init<>());
  nb::class_<RemarkLog>(m, "RemarkLog").def(nb::init<>()).def("take", &TakeRemarks);
  m.def("pass_table", &PassTable);
  m.def("make_pass", &MakePass);
  m.def("run_pass", &RunPass);
  m.def("make_pipeline",
        [](const std::string& text) { return PassHandle{OrThrow(BuildPipeline(OrThrow(ParsePipeline(text))))}; });
  m.def("canonical_pipeline", [](const std::string& text) { return ToString(OrThrow(ParsePipeline(text))); });
  m.def("config_table", &ConfigTable);
  m.def("cost_by_counting",
        [](nb::handle module, double cost) { return CostByCounting(OrThrow(ModuleOf(module).Core()), cost); });
}

}  // namespace relayopt::python
