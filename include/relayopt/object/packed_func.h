// Packed functions, whose argument types are known only at run time, and the global registry of them by name.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "relayopt/object/containers.h"
#include "relayopt/support/result.h"

namespace relayopt::object {

// The arguments of a call. An element converts implicitly to the type it is assigned to.
class PackedArgs {
 public:
  explicit PackedArgs(std::span<const Value> values) : values_(values) {}
  auto size() const -> size_t { return values_.size(); }

  // One argument. Converting an argument of another kind is a programming error of the callee; where callers should get
  // a message instead, the callee is declared by TypedPackedFunc.
  class Arg {
   public:
    explicit Arg(const Value& value) : value_(value) {}
    auto value() const -> const Value& { return value_; }
    operator int64_t() const { return value_.integer(); }
    operator int() const { return static_cast<int>(value_.integer()); }
    operator bool() const { return value_.integer() != 0; }
    operator double() const { return value_.is_int() ? static_cast<double>(value_.integer()) : value_.real(); }
    operator std::string() const { return std::string(value_.text()); }
    operator Ref<Object>() const { return value_.ref(); }

   private:
    const Value& value_;
  };
  auto operator[](size_t i) const -> Arg { return Arg(values_[i]); }
  auto values() const -> std::span<const Value> { return values_; }

 private:
  std::span<const Value> values_;
};

// A packed function as an object. Its errors are returned as values, as everywhere.
class PackedFuncObj : public Object {
 public:
  static constexpr std::string_view kTypeKey = "runtime.PackedFunc";
  using Base = Object;
  using Body = std::function<Result<Value>(PackedArgs)>;
  explicit PackedFuncObj(Body body) : Object(IndexOf<PackedFuncObj>()), body_(std::move(body)) {}

  auto Call(std::span<const Value> args) const -> Result<Value> { return body_(PackedArgs(args)); }
  template <typename... Args>
  auto operator()(Args&&... args) const -> Result<Value> {
    const Value values[] = {Value(std::forward<Args>(args))..., Value()};
    return Call(std::span<const Value>(values, sizeof...(Args)));
  }

 private:
  Body body_;
};
using PackedFunc = Ref<PackedFuncObj>;

// Returns the type of a value for messages: the type key of an object, "int", "float" or "None".
auto TypeKeyOf(const Value& value) -> std::string;

// Returns the error of a call with wrong arguments; `text` says what is wrong.
auto CallError(const std::string& text) -> Diagnostic;

namespace packed_internal {
template <typename T>
constexpr auto NameOf() -> std::string_view {
  if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (std::is_integral_v<T>)
    return "int";
  else if constexpr (std::is_floating_point_v<T>)
    return "float";
  else if constexpr (std::is_same_v<T, std::string>)
    return "String";
  else if constexpr (std::is_same_v<T, Value>)
    return "Value";
  else
    return "Object";
}
template <typename T>
auto Accepts(const Value& value) -> bool {
  if constexpr (std::is_integral_v<T>)
    return value.is_int();
  else if constexpr (std::is_floating_point_v<T>)
    return value.is_int() || value.is_float();
  else if constexpr (std::is_same_v<T, std::string>)
    return value.as<StringObj>() != nullptr;
  else if constexpr (std::is_same_v<T, Value>)
    return true;
  else
    return value.is_null() || value.is_object();
}
template <typename T>
auto Convert(const Value& value) -> T {
  if constexpr (std::is_same_v<T, Value>)
    return value;
  else
    return static_cast<T>(PackedArgs::Arg(value));
}
auto Signature(std::string_view name, std::span<const std::string_view> args, std::string_view result) -> std::string;
auto WrongCount(const std::string& signature, size_t expected, size_t given) -> Diagnostic;
auto WrongType(const std::string& signature, size_t index, std::string_view expected, const Value& given) -> Diagnostic;

template <typename F, typename R, typename... Args, size_t... I>
auto Typed(std::string name, F body, std::index_sequence<I...>) -> PackedFunc {
  return Make<PackedFuncObj>([name = std::move(name), body = std::move(body)](PackedArgs args) -> Result<Value> {
    static constexpr std::array<std::string_view, sizeof...(Args)> kNames = {NameOf<std::remove_cvref_t<Args>>()...};
    const auto signature = [&] { return Signature(name, kNames, std::is_void_v<R> ? "void" : NameOf<R>()); };
    if (args.size() != sizeof...(Args)) return WrongCount(signature(), sizeof...(Args), args.size());
    [[maybe_unused]] const auto values = args.values();
    const bool fits[] = {Accepts<std::remove_cvref_t<Args>>(values[I])..., true};
    for (size_t i = 0; i < sizeof...(Args); ++i) {
      if (!fits[i]) return WrongType(signature(), i, kNames[i], values[i]);
    }
    if constexpr (std::is_void_v<R>) {
      body(Convert<std::remove_cvref_t<Args>>(values[I])...);
      return Value();
    } else {
      return Value(body(Convert<std::remove_cvref_t<Args>>(values[I])...));
    }
  });
}
template <typename F, typename R, typename... Args>
auto Typed(std::string name, F body, std::function<R(Args...)>*) -> PackedFunc {
  return Typed<F, R, Args...>(std::move(name), std::move(body), std::index_sequence_for<Args...>());
}
}  // namespace packed_internal

// Makes a packed function from a C++ callable. A call with the wrong number or types of arguments is an error that
// shows the signature.
template <typename F>
auto TypedPackedFunc(std::string name, F body) -> PackedFunc {
  using Signature = decltype(std::function(body));
  return packed_internal::Typed(std::move(name), std::move(body), static_cast<Signature*>(nullptr));
}

// The registry of functions by name; entries live as long as the process. Thread-safe.
class Registry {
 public:
  // Registers a function. Returns false if the name is taken and `override` is not set.
  static auto Register(std::string_view name, PackedFunc function, bool override = false) -> bool;
  // Returns the function of this name, or null.
  static auto Get(std::string_view name) -> PackedFunc;
  static auto Remove(std::string_view name) -> bool;
  // Returns all names, sorted.
  static auto List() -> std::vector<std::string>;
};

}  // namespace relayopt::object
