// Targets, their kinds and tags.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "relayopt/target/target.h"

namespace relayopt::python {
namespace {

// A target, as relayopt.target.Target holds it.
struct TargetHandle {
  TargetRef target;
};

auto HandleOf(Result<Target> target) -> TargetHandle {
  return {std::make_shared<const Target>(OrThrow(std::move(target)))};
}

auto ToPython(const TargetValue& value) -> nb::object {
  struct Visitor {
    auto operator()(int64_t number) const -> nb::object { return nb::int_(number); }
    auto operator()(bool on) const -> nb::object { return nb::bool_(on); }
    auto operator()(const std::string& text) const -> nb::object { return nb::cast(text); }
    auto operator()(const std::vector<int64_t>& items) const -> nb::object { return nb::cast(items); }
    auto operator()(const std::vector<std::string>& items) const -> nb::object { return nb::cast(items); }
    auto operator()(const TargetRef& target) const -> nb::object { return nb::cast(TargetHandle{target}); }
    auto operator()(const std::vector<TargetRef>& targets) const -> nb::object {
      nb::list all;
      for (const TargetRef& target : targets) all.append(TargetHandle{target});
      return all;
    }
  };
  return std::visit(Visitor(), value);
}

auto ToPython(const TargetConfig& config) -> nb::dict {
  nb::dict all;
  for (const auto& [name, value] : config) all[nb::cast(name)] = ToPython(value);
  return all;
}

auto ConfigOf(const nb::dict& given) -> TargetConfig;

// A list holds values of one type only.
template <typename T>
auto ListOf(nb::handle given) -> std::optional<std::vector<T>> {
  std::vector<T> items;
  for (const nb::handle item : given) {
    if (nb::isinstance<nb::bool_>(item) || !nb::try_cast(item, items.emplace_back())) return std::nullopt;
  }
  return items;
}

auto ValueOf(const std::string& name, nb::handle given) -> TargetValue {
  if (nb::isinstance<nb::bool_>(given)) return nb::cast<bool>(given);
  if (nb::isinstance<nb::int_>(given)) return nb::cast<int64_t>(given);
  if (nb::isinstance<nb::str>(given)) return nb::cast<std::string>(given);
  if (nb::isinstance<TargetHandle>(given)) return nb::cast<TargetHandle>(given).target;
  if (nb::isinstance<nb::dict>(given))
    return HandleOf(Target::FromConfig(ConfigOf(nb::borrow<nb::dict>(given)))).target;
  if (nb::isinstance<nb::list>(given)) {
    if (auto words = ListOf<std::string>(given)) return *std::move(words);
    if (auto numbers = ListOf<int64_t>(given)) return *std::move(numbers);
    std::vector<TargetRef> targets;
    for (const nb::handle item : given) {
      TargetValue value = ValueOf(name, item);
      if (const auto* text = std::get_if<std::string>(&value)) value = HandleOf(Target::Parse(*text)).target;
      if (!std::holds_alternative<TargetRef>(value)) break;
      targets.push_back(std::get<TargetRef>(std::move(value)));
    }
    if (targets.size() == nb::len(given)) return targets;
  }
  throw nb::value_error(
      ("target option '" + name + "' expects text, an integer, a switch, a list or a target").c_str());
}

auto ConfigOf(const nb::dict& given) -> TargetConfig {
  TargetConfig config;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    config.insert_or_assign(name, ValueOf(name, value));
  }
  return config;
}

auto InfoOf(const std::string& name) -> nb::tuple {
  const TargetKindInfo info = OrThrow(InfoOfTargetKind(name));
  return nb::make_tuple(info.doc, info.device_type, info.keys, info.options, info.is_external);
}

}  // namespace

void AddTargets(nb::module_& m) {
  nb::class_<TargetHandle>(m, "TargetHandle")
      .def_prop_ro("kind", [](const TargetHandle& self) { return self.target->kind(); })
      .def_prop_ro("tag", [](const TargetHandle& self) { return self.target->tag(); })
      .def_prop_ro("keys", [](const TargetHandle& self) { return self.target->keys(); })
      .def_prop_ro("host",
                   [](const TargetHandle& self) -> std::optional<TargetHandle> {
                     if (self.target->host() == nullptr) return std::nullopt;
                     return TargetHandle{self.target->host()};
                   })
      .def_prop_ro("attrs", [](const TargetHandle& self) { return ToPython(self.target->attrs()); })
      .def_prop_ro("features", [](const TargetHandle& self) { return self.target->features(); })
      .def_prop_ro("device_type", [](const TargetHandle& self) { return self.target->device_type(); })
      .def_prop_ro("text", [](const TargetHandle& self) { return self.target->ToString(); })
      .def_prop_ro("json", [](const TargetHandle& self) { return self.target->ToJson(); })
      .def("export", [](const TargetHandle& self) { return ToPython(self.target->Export()); })
      .def(
          "with_host",
          [](const TargetHandle& self, std::optional<TargetHandle> host) {
            return TargetHandle{
                std::make_shared<const Target>(self.target->WithHost(host ? host->target : TargetRef()))};
          },
          nb::arg("host").none())
      .def("has_feature",
           [](const TargetHandle& self, const std::string& name) { return self.target->HasFeature(name); })
      .def("is_same", [](const TargetHandle& self, const TargetHandle& other) { return self.target == other.target; });
  m.def("parse_target", [](const std::string& text) { return HandleOf(Target::Parse(text)); });
  m.def("target_of_config", [](const nb::dict& config) { return HandleOf(Target::FromConfig(ConfigOf(config))); });
  m.def("target_kind", &InfoOf);
  m.def("target_kinds", &TargetKindNames);
  m.def("target_tags", &TargetTags);
  m.def("register_target_tag", [](const std::string& name, const nb::dict& config, bool override) {
    return HandleOf(RegisterTargetTag(name, ConfigOf(config), override));
  });
}

}  // namespace relayopt::python
