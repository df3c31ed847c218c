// A function as a list of expressions, for comparing two functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/relay/text/printer/printer_attrs.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Names and hashes, for everything that both modules share.
class DiffNames {
 public:
  explicit DiffNames(const Context& context) : context_(context), meta_(context), attrs_(context, meta_, false) {}

  auto context() const -> const Context& { return context_; }
  // Returns the text of the type; types with the same text are equal.
  auto Type(TypeId type) -> const std::string&;
  // Keys and values of the fields that differ from their defaults.
  auto Fields(AttrsId attrs) -> std::vector<std::pair<std::string, std::string>>;
  auto Value(ObjectId value) -> std::string;

 private:
  const Context& context_;
  MetaIndex meta_;
  AttrPrinter attrs_;
  absl::flat_hash_map<TypeId, std::string> types_;
};

// The printed text of a module, with the range of each expression in it.
struct PrintedModule {
  explicit PrintedModule(const Module& module, TypePrinting types = TypePrinting::kAll);

  // How functions are printed to be compared.
  static auto Options(TypePrinting types) -> PrintOptions;

  std::string text;
  PrintTrace trace;
  // Keyed by function and expression.
  absl::flat_hash_map<std::pair<GlobalId, ExprId>, PrintTrace::Place> places;
};

// One function to compare. Its items are its expressions in the order of the text, except constants, globals,
// constructors and operators (which are described where they are used), and variables bound by let (which stand for
// their values).
class FunctionView {
 public:
  // `by_name`: variables are matched by name first, and only then by order.
  FunctionView(const Module& module, GlobalId id, const PrintedModule& printed, DiffNames& names, bool by_name);

  auto function() const -> const Function& { return function_; }
  auto items() const -> const std::vector<ExprId>& { return items_; }
  // Returns the expression itself, or the value that a let binds it to.
  auto Resolve(ExprId id) const -> ExprId { return resolved_[id]; }
  // The relevant operands, resolved: for a let chain its values and its result.
  auto OperandsOf(ExprId id) const -> std::vector<ExprId>;
  auto IsItem(ExprId id) const -> bool;
  auto IsLetBound(ExprId id) const -> bool { return !lets_.StepsOf(id).empty(); }

  // The criteria by which items may correspond, from strong to weak: the item with its operands and theirs; with its
  // operands; by itself; by its kind and operator only.
  static constexpr size_t kLevels = 4;
  auto Keys(size_t level) const -> const std::vector<uint64_t>& { return keys_[level]; }

  // Returns the text of an item, or empty if it has none, and the text by which others refer to it.
  auto TextOf(ExprId id) const -> std::string;
  auto RefOf(ExprId id) const -> std::string;
  // The lines of the text of the function, and the number of that on which an expression begins, if it has a text.
  auto Lines() const -> std::vector<std::string_view>;
  auto LineOf(ExprId id) const -> std::optional<size_t>;
  // A text that identifies an expression that is not an item. Equal texts mean equal expressions, unless constants.
  auto LeafOf(ExprId id) const -> std::string;

 private:
  void FindItems();
  void FindLines();
  void MakeKeys();
  auto KindKey(ExprId id) const -> uint64_t;
  auto OwnKey(ExprId id) const -> uint64_t;

  const Module& module_;
  GlobalId id_;
  const Function& function_;
  const PrintedModule& printed_;
  DiffNames& names_;
  bool by_name_;
  LetIndex lets_;
  SideTable<ExprId, ExprId> resolved_;
  std::vector<ExprId> items_;
  // Where the lines begin in the text of the module, and at last where they end.
  std::vector<size_t> line_begins_;
  std::vector<uint64_t> keys_[kLevels];
};

}  // namespace relayopt
