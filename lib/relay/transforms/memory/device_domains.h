// Unknown devices of values, which are solved for by making them equal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "relayopt/core/context.h"

namespace relayopt {

// A partially known device. An unknown part has the default value.
struct Device {
  int64_t type = -1;
  // 0 if it is open and the type is not.
  int64_t number = -1;
  std::string scope;

  auto is_open() const -> bool { return *this == Device(); }
  auto operator<=>(const Device&) const = default;
};

// Devices as VirtualDevice objects: one for each device.
class DeviceObjects {
 public:
  explicit DeviceObjects(Context& context) : context_(&context) {}

  // Returns what a VirtualDevice says; the null object leaves all unknown.
  auto Read(ObjectId object) -> Device;
  // Returns the object of a device: one that was read if it has no target, or a new one. Null if all of it is open.
  auto Write(const Device& device) -> ObjectId;

 private:
  Context* context_;
  std::vector<std::pair<Device, ObjectId>> known_;
};

using DomainId = Id<struct DomainTag>;

// Domains: the device of a value, or for a function those of its parameters and its result. They are made equal with
// union-find, and functions get parts when these are asked for.
class DeviceDomains {
 public:
  explicit DeviceDomains(const Context& context) : context_(&context) {}

  auto Value(Device device = {}) -> DomainId;
  // Returns a domain for values of a type. `device` is that of the value or, for functions, of their results: their
  // parameters may be anywhere.
  auto OfType(TypeId type, Device device = {}) -> DomainId;
  auto OfFunction(std::span<const DomainId> parts) -> DomainId;

  auto IsFunction(DomainId domain) -> bool { return (*this)[Find(domain)].is_function; }
  // Returns the parameters and the result of a function. The span is valid until the next call that creates domains.
  auto Parts(DomainId function) -> std::span<const DomainId>;
  auto Result(DomainId function) -> DomainId { return Parts(function).back(); }
  // Returns the device of a value, or of the final result of a function.
  auto DeviceOf(DomainId domain) -> const Device&;
  // Whether the types of all devices are known.
  auto IsKnown(DomainId domain) -> bool;

  // Makes two domains equal. Returns false, and changes nothing, if they contradict each other.
  auto Unify(DomainId a, DomainId b) -> bool;
  // Makes all devices of a domain that of a value.
  auto Collapse(DomainId value, DomainId domain) -> bool;

  // Fill in what is open: everything; the result, then the parameters with the device of the result.
  void SetDefault(DomainId domain, const Device& device);
  void SetResultThenParams(DomainId function, const Device& device);

 private:
  struct Domain {
    Device device;
    // Invalid for roots.
    DomainId same_as;
    bool is_function = false;
    // For a function whose parts have not been asked for: its type. `device` is that of its final result.
    TypeId type;
    uint32_t first_part = 0;
    uint32_t num_parts = 0;
  };

  auto operator[](DomainId id) -> Domain& { return domains_[id.value()]; }
  auto Add(Domain domain) -> DomainId;
  auto Find(DomainId domain) -> DomainId;
  // Makes two roots equal without looking at parts of functions. Nothing if that is not possible.
  auto UnifyShallow(DomainId a, DomainId b) -> std::optional<bool>;
  // Appends the values that a domain consists of.
  void AppendValues(DomainId domain, std::vector<DomainId>& values);

  const Context* context_;
  std::vector<Domain> domains_;
  std::vector<DomainId> parts_;
};

}  // namespace relayopt
