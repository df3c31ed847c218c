#include "device_domains.h"
#include "relayopt/support/map_to_vector.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace relayopt {

namespace {

// Returns what both devices say, or nullopt if they contradict each other.
auto Join(const Device& a, const Device& b) -> std::optional<Device> {
  const Device open;
  Device joined = a;
  const auto join = [](auto& to, const auto& from, const auto& unknown) {
    if (to == unknown) to = from;
    return from == unknown || to == from;
  };
  if (!join(joined.type, b.type, open.type) || !join(joined.number, b.number, open.number) ||
      !join(joined.scope, b.scope, open.scope)) {
    return std::nullopt;
  }
  return joined;
}

auto ToNumber(std::string_view text) -> int64_t {
  int64_t value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

auto DeviceObjects::Read(ObjectId object) -> Device {
  Device device;
  if (!object) return device;
  bool has_target = false;
  for (const ObjectField& field : context_->object(object).fields) {
    const std::string_view name = context_->text(field.name);
    if (name == "device_type_int" && field.literal) device.type = ToNumber(context_->text(field.literal));
    if (name == "virtual_device_id" && field.literal) device.number = ToNumber(context_->text(field.literal));
    if (name == "target") has_target = field.object.has_value();
    if (name == "memory_scope" && field.object && context_->object(field.object).text) {
      device.scope = context_->text(context_->object(field.object).text);
    }
  }
  if (device.type != -1 && device.number == -1) device.number = 0;
  const auto is_same = [&](const auto& entry) { return entry.first == device; };
  if (!has_target && std::ranges::none_of(known_, is_same)) known_.emplace_back(device, object);
  return device;
}

auto DeviceObjects::Write(const Device& device) -> ObjectId {
  if (device.is_open()) return {};
  for (const auto& [known, object] : known_) {
    if (known == device) return object;
  }
  const auto literal = [&](int64_t value) { return context_->Intern(std::to_string(value)); };
  const ObjectField fields[] = {
      {.name = context_->Intern("device_type_int"), .literal = literal(device.type), .object = {}},
      {.name = context_->Intern("virtual_device_id"), .literal = literal(device.number), .object = {}},
      {.name = context_->Intern("target"), .literal = {}, .object = {}},
      {.name = context_->Intern("memory_scope"), .literal = {}, .object = context_->AddString(device.scope)},
  };
  Object object;
  object.type_key = context_->Intern("VirtualDevice");
  object.fields = fields;
  known_.emplace_back(device, context_->Add(object));
  return known_.back().second;
}

auto DeviceDomains::Add(Domain domain) -> DomainId {
  domains_.push_back(std::move(domain));
  return DomainId(static_cast<uint32_t>(domains_.size() - 1));
}

auto DeviceDomains::Value(Device device) -> DomainId { return Add({.device = std::move(device)}); }

auto DeviceDomains::OfType(TypeId type, Device device) -> DomainId {
  const bool is_function = type && context_->type(type).is_function();
  return Add({.device = std::move(device), .is_function = is_function, .type = type});
}

auto DeviceDomains::OfFunction(std::span<const DomainId> parts) -> DomainId {
  const auto first = static_cast<uint32_t>(parts_.size());
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  return Add({.is_function = true, .first_part = first, .num_parts = static_cast<uint32_t>(parts.size())});
}

auto DeviceDomains::Find(DomainId domain) -> DomainId {
  while ((*this)[domain].same_as) {
    const DomainId next = (*this)[domain].same_as;
    if ((*this)[next].same_as) (*this)[domain].same_as = (*this)[next].same_as;
    domain = next;
  }
  return domain;
}

auto DeviceDomains::Parts(DomainId function) -> std::span<const DomainId> {
  const DomainId root = Find(function);
  if ((*this)[root].num_parts == 0) {
    const Type& type = context_->type((*this)[root].type);
    auto parts = MapToVector<DomainId>(type.args, [&](TypeId param) { return OfType(param); });
    parts.push_back(OfType(type.result, (*this)[root].device));
    (*this)[root].first_part = static_cast<uint32_t>(parts_.size());
    (*this)[root].num_parts = static_cast<uint32_t>(parts.size());
    parts_.insert(parts_.end(), parts.begin(), parts.end());
  }
  return std::span<const DomainId>(parts_).subspan((*this)[root].first_part, (*this)[root].num_parts);
}

auto DeviceDomains::DeviceOf(DomainId domain) -> const Device& {
  DomainId root = Find(domain);
  while ((*this)[root].num_parts != 0) root = Find(Result(root));
  return (*this)[root].device;
}

void DeviceDomains::AppendValues(DomainId domain, std::vector<DomainId>& values) {
  std::vector<DomainId> work = {domain};
  while (!work.empty()) {
    const DomainId root = Find(work.back());
    work.pop_back();
    if (!(*this)[root].is_function) {
      values.push_back(root);
      continue;
    }
    const auto parts = Parts(root);
    work.insert(work.end(), parts.rbegin(), parts.rend());
  }
}

auto DeviceDomains::IsKnown(DomainId domain) -> bool {
  std::vector<DomainId> values;
  AppendValues(domain, values);
  return std::ranges::all_of(values, [&](DomainId value) { return (*this)[value].device.type != -1; });
}

auto DeviceDomains::Collapse(DomainId value, DomainId domain) -> bool {
  std::vector<DomainId> values;
  AppendValues(domain, values);
  bool agrees = true;
  for (const DomainId each : values) agrees = Unify(value, each) && agrees;
  return agrees;
}

auto DeviceDomains::UnifyShallow(DomainId a, DomainId b) -> std::optional<bool> {
  if (a == b) return true;
  if ((*this)[a].is_function != (*this)[b].is_function) {
    // A function that is used as a value is on one device as a whole.
    return (*this)[a].is_function ? Collapse(b, a) : Collapse(a, b);
  }
  const bool have_no_parts = (*this)[a].num_parts == 0 && (*this)[b].num_parts == 0;
  if ((*this)[a].is_function && !(have_no_parts && (*this)[a].type == (*this)[b].type)) return std::nullopt;
  const auto joined = Join((*this)[a].device, (*this)[b].device);
  if (!joined) return false;
  (*this)[b].device = *joined;
  (*this)[a].same_as = b;
  return true;
}

auto DeviceDomains::Unify(DomainId a, DomainId b) -> bool {
  // Two functions, the parts that have been made equal, and whether that was possible for all.
  struct Pair {
    DomainId a;
    DomainId b;
    size_t done = 0;
    bool agrees = true;
  };
  a = Find(a);
  b = Find(b);
  if (const auto shallow = UnifyShallow(a, b)) return *shallow;
  std::vector<Pair> work = {{a, b}};
  for (;;) {
    Pair& top = work.back();
    const size_t count = Parts(top.a).size();
    if (count != Parts(top.b).size()) {
      top.agrees = false;
    } else if (top.done != count) {
      const DomainId left = Find(Parts(top.a)[top.done]);
      const DomainId right = Find(Parts(top.b)[top.done]);
      ++top.done;
      if (const auto shallow = UnifyShallow(left, right)) {
        top.agrees = top.agrees && *shallow;
      } else {
        work.push_back({left, right});
      }
      continue;
    } else if (const DomainId left = Find(top.a), right = Find(top.b); top.agrees && left != right) {
      (*this)[left].same_as = right;
    }
    const bool agrees = top.agrees;
    work.pop_back();
    if (work.empty()) return agrees;
    work.back().agrees = work.back().agrees && agrees;
  }
}

void DeviceDomains::SetDefault(DomainId domain, const Device& device) {
  const Device open;
  std::vector<DomainId> values;
  AppendValues(domain, values);
  for (const DomainId value : values) {
    Device& own = (*this)[value].device;
    if (own.type == open.type) own.type = device.type;
    if (own.number == open.number) own.number = device.number;
    if (own.scope == open.scope) own.scope = device.scope;
  }
}

void DeviceDomains::SetResultThenParams(DomainId function, const Device& device) {
  SetDefault(Result(function), device);
  const Device result = DeviceOf(function);
  const size_t count = Parts(function).size();
  for (size_t i = 0; i + 1 < count; ++i) SetDefault(Parts(function)[i], result);
}

}  // namespace relayopt
