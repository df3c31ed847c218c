// Options of several owners in one place, by their type.
#pragma once

#include <any>
#include <map>

namespace relayopt {

// Holds at most one struct of options of each type. Code that passes a set on need not know what is in it: the owner of
// a struct reads it with Get, and the parser of options writes it with Edit.
class OptionSet {
 public:
  // Returns the options of this type, or their defaults if nothing has set any.
  template <typename Options>
  auto Get() const -> const Options& {
    static const Options defaults;
    const auto found = values_.find(&kKey<Options>);
    return found == values_.end() ? defaults : *std::any_cast<Options>(&found->second);
  }

  // Returns the options of this type for changing them. The reference stays valid.
  template <typename Options>
  auto Edit() -> Options& {
    std::any& value = values_[&kKey<Options>];
    if (!value.has_value()) value.emplace<Options>();
    return *std::any_cast<Options>(&value);
  }

 private:
  // A variable for each type, whose address is the key of the type.
  template <typename Options>
  static inline const char kKey = 0;

  // Copies of a set are independent; entries do not move.
  std::map<const void*, std::any> values_;
};

}  // namespace relayopt
