// The targets that functions and attributes of tensor programs name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// DLPack's numbers of devices that passes treat in a special way.
enum DeviceType : int { kCpuDevice = 1, kExtDevice = 12, kHexagonDevice = 16, kMicroDevice = 35 };

// Looks at the object of a target (RefKind::kTarget): a map from its kind, keys, host and attributes.
class TargetView {
 public:
  // Returns the target of an object, or nothing if it is not a target.
  static auto Of(Context& context, ObjectId id) -> std::optional<TargetView>;
  // Returns the attribute `target` of a function.
  static auto Of(const PrimFunc& func) -> std::optional<TargetView>;

  auto id() const -> ObjectId { return id_; }
  auto kind() const -> std::string_view { return Text("kind"); }
  // Returns the host of the target, or invalid if it has none.
  auto host() const -> ObjectId { return Find("host"); }
  auto HasKey(std::string_view key) const -> bool;
  // Returns an attribute; `otherwise` or the empty text where it is missing or of another type.
  auto Int(std::string_view name, int64_t otherwise) const -> int64_t;
  auto Text(std::string_view name) const -> std::string_view;
  // Returns a DeviceType, or another number of DLPack.
  auto device_type() const -> int;
  // The same target with another host, or without one (invalid).
  auto WithHost(ObjectId host) const -> ObjectId;
  // `<kind> -keys=a,b -name=value ...`: without host and tag.
  auto ToString() const -> std::string;

 private:
  TargetView(Context& context, ObjectId id) : context_(&context), id_(id) {}
  auto Find(std::string_view name) const -> ObjectId;

  Context* context_;
  ObjectId id_;
};

}  // namespace relayopt::tir
