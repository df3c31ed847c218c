// Ensembles of decision trees. Nodes of all trees, leaves too, are numbered; every row of the data walks down all trees
// at once, a step of all of them being a handful of look-ups. A leaf leads to itself, so that the depth of the deepest
// tree is enough for each.
//
//   node 0: x[0] <= 1.5 ? 1 : 2, leaves 1 and 2     at = 0
//                                                    at = where(x[feature[at]] <= split[at], yes[at], no[at])
//                                                    sum over the trees of weight[at]
#include <algorithm>
#include <cmath>
#include <map>

#include "builders.h"
#include "families.h"
#include "relayopt/support/map_to_vector.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

constexpr DataType kIndex = DataType::Int(32);

enum class Mode : uint8_t { kLessEqual, kLess, kGreaterEqual, kGreater, kEqual, kNotEqual, kMember, kLeaf };

struct TreeNode {
  Mode mode = Mode::kLeaf;
  int64_t feature = 0;
  double split = 0;
  int64_t yes = 0;
  int64_t no = 0;
  // The branch that missing values (NaN) take.
  bool nan_is_yes = false;
  // For kMember: the elements of the set.
  std::vector<double> members = {};
};

struct LeafWeight {
  int64_t node;
  int64_t target;
  double weight;
};

struct Ensemble {
  std::vector<TreeNode> nodes;
  std::vector<LeafWeight> weights;
  Ints roots;
  int64_t targets = 1;
  // The type of comparisons and sums.
  DataType dtype = DataType::Float(32);
};

// Returns the attribute as numbers: a tensor, or a list of floats.
auto Numbers(Node& n, std::string_view list, std::string_view tensor) -> std::vector<double> {
  if (!tensor.empty()) {
    if (const AttributeProto* attribute = n.Find(tensor)) {
      if (attribute->tensor == nullptr) {
        n.Fail(kWrongAttributeType, tensor);
        return {};
      }
      return n.em().DoublesOf(n.TensorConstant(*attribute).expr).value_or(std::vector<double>());
    }
  }
  return list.empty() ? std::vector<double>() : n.FloatList(list).value_or(std::vector<double>());
}

auto List(Node& n, std::string_view name) -> Ints { return n.IntList(name).value_or(Ints()); }

// Returns the depth of the deepest leaf. Every node must be reached exactly once; otherwise it is not a tree, which is
// an error.
auto DepthOf(Node& n, const Ensemble& trees) -> int64_t {
  std::vector<bool> seen(trees.nodes.size(), false);
  Ints level = trees.roots;
  int64_t depth = 0;
  while (!level.empty()) {
    Ints next;
    for (const int64_t at : level) {
      if (at < 0 || at >= static_cast<int64_t>(trees.nodes.size()) || seen[static_cast<size_t>(at)]) {
        n.Fail("the nodes do not form trees");
        return 0;
      }
      seen[static_cast<size_t>(at)] = true;
      const TreeNode& node = trees.nodes[static_cast<size_t>(at)];
      if (node.mode == Mode::kLeaf) continue;
      next.push_back(node.yes);
      next.push_back(node.no);
    }
    if (!next.empty()) ++depth;
    level = std::move(next);
  }
  return depth;
}

auto ModeOf(Node& n, std::string_view text) -> Mode {
  static const std::map<std::string_view, Mode> modes = {
      {"BRANCH_LEQ", Mode::kLessEqual}, {"BRANCH_LT", Mode::kLess},  {"BRANCH_GTE", Mode::kGreaterEqual},
      {"BRANCH_GT", Mode::kGreater},    {"BRANCH_EQ", Mode::kEqual}, {"BRANCH_NEQ", Mode::kNotEqual},
      {"BRANCH_MEMBER", Mode::kMember}, {"LEAF", Mode::kLeaf},
  };
  const auto mode = modes.find(text);
  if (mode != modes.end()) return mode->second;
  n.Fail("attribute 'nodes_modes': '{}' is not a mode", text);
  return Mode::kLeaf;
}

// Returns the form before version 5: nodes and weights name their tree and their number in it.
auto ReadListed(Node& n, std::string_view prefix, int64_t targets) -> Ensemble {
  Ensemble trees;
  trees.targets = targets;
  const Ints tree_ids = List(n, "nodes_treeids");
  const Ints node_ids = List(n, "nodes_nodeids");
  const Ints features = List(n, "nodes_featureids");
  const Ints yes = List(n, "nodes_truenodeids");
  const Ints no = List(n, "nodes_falsenodeids");
  const Ints tracks = List(n, "nodes_missing_value_tracks_true");
  const auto modes = n.TextList("nodes_modes").value_or(std::vector<std::string>());
  const std::vector<double> splits = Numbers(n, "nodes_values", "nodes_values_as_tensor");
  if (n.Has("nodes_values_as_tensor")) trees.dtype = DataType::Float(64);
  const size_t count = node_ids.size();
  if (count == 0 || tree_ids.size() != count || features.size() != count || yes.size() != count || no.size() != count ||
      modes.size() != count || splits.size() != count || (!tracks.empty() && tracks.size() != count)) {
    n.Fail("the lists that describe the nodes have different lengths");
    return trees;
  }
  std::map<std::pair<int64_t, int64_t>, int64_t> number;
  for (size_t i = 0; i < count; ++i) {
    const bool is_new = number.emplace(std::pair(tree_ids[i], node_ids[i]), static_cast<int64_t>(i)).second;
    if (!is_new) n.Fail("tree {} has two nodes {}", tree_ids[i], node_ids[i]);
  }
  const auto find = [&](int64_t tree, int64_t node) -> int64_t {
    const auto found = number.find(std::pair(tree, node));
    if (found != number.end()) return found->second;
    n.Fail("tree {} has no node {}", tree, node);
    return 0;
  };
  std::vector<bool> is_child(count, false);
  for (size_t i = 0; i < count && !n.failed(); ++i) {
    TreeNode node = {ModeOf(n, modes[i]), features[i], splits[i]};
    node.nan_is_yes = !tracks.empty() && tracks[i] != 0;
    node.yes = node.no = static_cast<int64_t>(i);
    if (node.mode != Mode::kLeaf) {
      node.yes = find(tree_ids[i], yes[i]);
      node.no = find(tree_ids[i], no[i]);
      is_child[static_cast<size_t>(node.yes)] = is_child[static_cast<size_t>(node.no)] = true;
    }
    trees.nodes.push_back(std::move(node));
  }
  for (size_t i = 0; i < count; ++i) {
    if (!is_child[i]) trees.roots.push_back(static_cast<int64_t>(i));
  }
  const std::string name(prefix);
  const Ints weight_trees = List(n, name + "_treeids");
  const Ints weight_nodes = List(n, name + "_nodeids");
  const Ints weight_targets = List(n, name + "_ids");
  const std::vector<double> weights = Numbers(n, name + "_weights", name + "_weights_as_tensor");
  if (weight_trees.size() != weights.size() || weight_nodes.size() != weights.size() ||
      weight_targets.size() != weights.size()) {
    n.Fail("the lists that describe the weights have different lengths");
    return trees;
  }
  for (size_t i = 0; i < weights.size() && !n.failed(); ++i)
    trees.weights.push_back({find(weight_trees[i], weight_nodes[i]), weight_targets[i], weights[i]});
  return trees;
}

// Returns the form of version 5: positions in lists, of inner nodes and of leaves.
auto ReadIndexed(Node& n) -> Ensemble {
  Ensemble trees;
  trees.targets = n.Int("n_targets");
  trees.dtype = n.em().dtype(n.in(0));
  const Ints features = List(n, "nodes_featureids");
  const Ints yes = List(n, "nodes_truenodeids");
  const Ints no = List(n, "nodes_falsenodeids");
  const Ints yes_is_leaf = List(n, "nodes_trueleafs");
  const Ints no_is_leaf = List(n, "nodes_falseleafs");
  const Ints tracks = List(n, "nodes_missing_value_tracks_true");
  const Ints leaf_targets = List(n, "leaf_targetids");
  const std::vector<double> modes = Numbers(n, "", "nodes_modes");
  const std::vector<double> splits = Numbers(n, "", "nodes_splits");
  const std::vector<double> weights = Numbers(n, "", "leaf_weights");
  const std::vector<double> members = Numbers(n, "", "membership_values");
  trees.roots = List(n, "tree_roots");
  const size_t count = features.size();
  if (count == 0 || yes.size() != count || no.size() != count || yes_is_leaf.size() != count ||
      no_is_leaf.size() != count || modes.size() != count || splits.size() != count ||
      (!tracks.empty() && tracks.size() != count) || weights.size() != leaf_targets.size()) {
    n.Fail("the lists that describe the nodes have different lengths");
    return trees;
  }
  const auto all = static_cast<int64_t>(count + weights.size());
  const auto place = [&](int64_t at, bool is_leaf) {
    const int64_t number = is_leaf ? at + static_cast<int64_t>(count) : at;
    if (at < 0 || number >= (is_leaf ? all : static_cast<int64_t>(count))) n.Fail("there is no node {}", at);
    return number;
  };
  size_t member = 0;
  for (size_t i = 0; i < count && !n.failed(); ++i) {
    if (!(modes[i] >= 0 && modes[i] <= 6)) {
      n.Fail("attribute 'nodes_modes': {} is not a mode", modes[i]);
      break;
    }
    TreeNode node = {static_cast<Mode>(modes[i]), features[i], splits[i]};
    node.yes = place(yes[i], yes_is_leaf[i] != 0);
    node.no = place(no[i], no_is_leaf[i] != 0);
    node.nan_is_yes = !tracks.empty() && tracks[i] != 0;
    if (node.mode == Mode::kMember) {
      // The sets are concatenated, with a NaN after each.
      for (; member < members.size() && !std::isnan(members[member]); ++member) node.members.push_back(members[member]);
      ++member;
    }
    trees.nodes.push_back(std::move(node));
  }
  for (size_t i = 0; i < weights.size() && !n.failed(); ++i) {
    const auto at = static_cast<int64_t>(count + i);
    trees.nodes.push_back({.yes = at, .no = at});
    trees.weights.push_back({at, leaf_targets[i], weights[i]});
  }
  return trees;
}

// One number of every node as a constant, looked up at `at`.
template <typename Member>
auto Look(Emitter& em, const Ensemble& trees, ExprId at, DataType dtype, Member member) -> ExprId {
  auto numbers =
      MapToVector<double>(trees.nodes, [&](const TreeNode& node) { return static_cast<double>(member(node)); });
  return Take(em, em.Array(numbers, {static_cast<int64_t>(numbers.size())}, dtype), at);
}

auto IsMember(Node& n, const Ensemble& trees, ExprId at, ExprId value) -> ExprId {
  Emitter& em = n.em();
  size_t width = 1;
  for (const TreeNode& node : trees.nodes) width = std::max(width, node.members.size());
  const auto count = static_cast<int64_t>(trees.nodes.size());
  if (!n.Elements({count, static_cast<int64_t>(width)})) return {};
  std::vector<double> sets(trees.nodes.size() * width, std::nan(""));
  for (size_t i = 0; i < trees.nodes.size(); ++i)
    std::ranges::copy(trees.nodes[i].members, sets.begin() + static_cast<std::ptrdiff_t>(i * width));
  const ExprId set = Take(em, em.Array(sets, {count, static_cast<int64_t>(width)}, trees.dtype), at, 0);
  return Reduce(em, "any"_op, em.Call("equal"_op, {set, ExpandDims(em, value, 2)}), {2}, false);
}

// Whether the tests of the nodes hold, for the modes that occur.
auto TestsHold(Node& n, const Ensemble& trees, ExprId at, ExprId value) -> ExprId {
  Emitter& em = n.em();
  const ExprId split = Look(em, trees, at, trees.dtype, [](const TreeNode& node) { return node.split; });
  const ExprId modes = Look(em, trees, at, kIndex, [](const TreeNode& node) { return static_cast<int>(node.mode); });
  ExprId holds;
  const auto add = [&](Mode mode, auto test) {
    if (std::ranges::find(trees.nodes, mode, &TreeNode::mode) == trees.nodes.end()) return;
    const ExprId one = test();
    const ExprId is_mode = em.Call("equal"_op, {modes, em.Scalar(kIndex, static_cast<int>(mode))});
    holds = holds ? Where(em, is_mode, one, holds) : one;
  };
  const auto compare = [&](const OpDef* op) { return [&em, op, value, split] { return em.Call(op, {value, split}); }; };
  add(Mode::kLessEqual, compare("less_equal"_op));
  add(Mode::kLess, compare("less"_op));
  add(Mode::kGreaterEqual, compare("greater_equal"_op));
  add(Mode::kGreater, compare("greater"_op));
  add(Mode::kEqual, compare("equal"_op));
  add(Mode::kNotEqual, compare("not_equal"_op));
  add(Mode::kMember, [&] { return IsMember(n, trees, at, value); });
  if (holds && std::ranges::any_of(trees.nodes, &TreeNode::nan_is_yes)) {
    const ExprId tracks = Look(em, trees, at, DataType::Bool(), [](const TreeNode& node) { return node.nan_is_yes; });
    holds = em.Call("logical_or"_op, {holds, em.Call("logical_and"_op, {em.Call("isnan"_op, {value}), tracks})});
  }
  return holds;
}

// Returns the leaf of each row in each tree: (rows, trees).
auto Leaves(Node& n, const Ensemble& trees, ExprId x) -> ExprId {
  Emitter& em = n.em();
  const int64_t depth = DepthOf(n, trees);
  if (!n.CheckIterations(depth)) return {};
  const auto width = em.Extent(x, 1);
  for (const TreeNode& node : trees.nodes) {
    if (node.mode != Mode::kLeaf && (node.feature < 0 || (width && node.feature >= *width)))
      return n.Fail("there is no feature {}", node.feature);
  }
  const ExprId first = Take(em, x, em.Vector({0}, kIndex), 1);
  const ExprId zeros = Cast(em, em.Call("zeros_like"_op, {first}), kIndex);
  ExprId at = Add(em, zeros, em.Vector(trees.roots, kIndex));
  for (int64_t step = 0; step < depth && !n.failed(); ++step) {
    const ExprId feature = Look(em, trees, at, kIndex, [](const TreeNode& node) { return node.feature; });
    const ExprId holds = TestsHold(n, trees, at, Gather(em, x, feature, 1));
    const ExprId yes = Look(em, trees, at, kIndex, [](const TreeNode& node) { return node.yes; });
    const ExprId no = Look(em, trees, at, kIndex, [](const TreeNode& node) { return node.no; });
    at = Where(em, holds, yes, no);
  }
  return at;
}

// Returns the sum of leaf weights for every target: (rows, targets).
auto Aggregate(Node& n, const Ensemble& trees, ExprId leaves, std::string_view how) -> ExprId {
  Emitter& em = n.em();
  const auto count = static_cast<int64_t>(trees.nodes.size());
  const auto size = n.Elements({count, trees.targets});
  if (!size) return {};
  const bool is_sum = how == "SUM" || how == "AVERAGE";
  // Trees without a weight for a target do not count for its least and greatest weight.
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double missing = is_sum ? 0 : how == "MIN" ? kNone : -kNone;
  std::vector<double> weights(*size, missing);
  for (const LeafWeight& weight : trees.weights) {
    if (weight.target < 0 || weight.target >= trees.targets) return n.Fail("there is no target {}", weight.target);
    double& place = weights[static_cast<size_t>(weight.node * trees.targets + weight.target)];
    place = is_sum || std::isinf(place) ? (is_sum ? place : 0) + weight.weight : place;
  }
  const ExprId all = Take(em, em.Array(weights, {count, trees.targets}, trees.dtype), leaves, 0);
  if (how == "SUM") return Reduce(em, "sum"_op, all, {1}, false);
  if (how == "AVERAGE") return Reduce(em, "mean"_op, all, {1}, false);
  const ExprId best = Reduce(em, how == "MIN" ? "min"_op : "max"_op, all, {1}, false);
  return Where(em, em.Call("isinf"_op, {best}), em.Scalar(trees.dtype, 0.0), best);
}

auto WithBase(Node& n, ExprId scores, const Ensemble& trees) -> ExprId {
  const std::vector<double> base = Numbers(n, "base_values", "base_values_as_tensor");
  if (base.empty() || n.failed()) return scores;
  if (static_cast<int64_t>(base.size()) != trees.targets)
    return n.Fail("{} base values for {} targets", base.size(), trees.targets);
  return Add(n.em(), scores, n.em().Array(base, {trees.targets}, trees.dtype));
}

// The data as the comparisons take them.
auto Data(Node& n, Ensemble& trees) -> ExprId {
  Emitter& em = n.em();
  if (em.dtype(n.in(0)) == DataType::Float(64)) trees.dtype = DataType::Float(64);
  if (em.rank(n.in(0)) != 2) return n.Fail("{} has rank {} instead of 2", n.InputText(0), em.rank(n.in(0)));
  return CastTo(em, n.in(0), trees.dtype);
}

auto ConvertTreeEnsemble(Node& n) -> Results {
  constexpr std::string_view kAggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  constexpr std::string_view kTransforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  Ensemble trees = ReadIndexed(n);
  const int64_t aggregate = n.Int("aggregate_function");
  const int64_t transform = n.Int("post_transform");
  if (n.failed()) return {};
  if (aggregate < 0 || aggregate > 3 || transform < 0 || transform > 4)
    return n.Fail("attributes 'aggregate_function' and 'post_transform' are numbers of choices");
  const ExprId x = Data(n, trees);
  const ExprId leaves = Leaves(n, trees, x);
  return TransformScores(n, Aggregate(n, trees, leaves, kAggregates[aggregate]), kTransforms[transform]);
}

auto ConvertTreeEnsembleRegressor(Node& n) -> Results {
  Ensemble trees = ReadListed(n, "target", n.Int("n_targets"));
  const std::string aggregate = n.Choice("aggregate_function", "SUM,AVERAGE,MIN,MAX");
  if (n.failed()) return {};
  const ExprId x = Data(n, trees);
  const ExprId scores = WithBase(n, Aggregate(n, trees, Leaves(n, trees, x), aggregate), trees);
  return CastTo(n.em(), TransformScores(n, scores, n.Text("post_transform")), DataType::Float(32));
}

auto ConvertTreeEnsembleClassifier(Node& n) -> Results {
  Emitter& em = n.em();
  const auto labels = n.IntList("classlabels_int64s");
  const auto names = n.TextList("classlabels_strings");
  const size_t classes = labels ? labels->size() : names ? names->size() : 0;
  if (classes == 0) return n.Fail("attribute 'classlabels_int64s' is missing");
  Ensemble trees = ReadListed(n, "class", static_cast<int64_t>(classes));
  if (n.failed()) return {};
  const ExprId x = Data(n, trees);
  const bool is_single =
      classes == 2 && !trees.weights.empty() && std::ranges::all_of(trees.weights, [&](const LeafWeight& weight) {
        return weight.target == trees.weights.front().target;
      });
  const ExprId leaves = Leaves(n, trees, x);
  if (!is_single) {
    const ExprId scores = WithBase(n, Aggregate(n, trees, leaves, "SUM"), trees);
    return ClassOf(n, scores, n.Text("post_transform"));
  }
  // Two classes, but weights of only one: the other class gets the complement.
  trees.targets = 1;
  for (LeafWeight& weight : trees.weights) weight.target = 0;
  const bool is_share = std::ranges::all_of(trees.weights, [](const LeafWeight& w) { return w.weight >= 0; });
  const std::vector<double> base = Numbers(n, "base_values", "base_values_as_tensor");
  ExprId score = Aggregate(n, trees, leaves, "SUM");
  if (!base.empty()) score = Add(em, score, em.Scalar(trees.dtype, base.back()));
  const ExprId label = Reshape(em, Greater(em, score, em.Scalar(trees.dtype, is_share ? 0.5 : 0.0)), {-1});
  const std::string transform = n.Text("post_transform");
  const bool is_logistic = transform == "LOGISTIC";
  const ExprId other =
      is_share && !is_logistic ? Sub(em, em.Scalar(trees.dtype, 1.0), score) : em.Call("negative"_op, {score});
  ExprId scores = CastTo(em, Concat(em, {other, score}, 1), DataType::Float(32));
  if (is_logistic) scores = em.Call("sigmoid"_op, {scores});
  if (transform != "NONE" && !is_logistic) return n.Fail("'{}' of two classes is not imported", transform);
  return {LabelsAt(n, Cast(em, label, kIndex)), scores};
}

constexpr OpRow kTreeRows[] = {
    {"ai.onnx.ml::TreeEnsemble", "5", "X",
     "int aggregate_function = 1; ints leaf_targetids; tensor leaf_weights; tensor membership_values; int n_targets = "
     "1; ints nodes_falseleafs; ints nodes_falsenodeids; ints nodes_featureids; tensor nodes_hitrates; ints "
     "nodes_missing_value_tracks_true; tensor nodes_modes; tensor nodes_splits; ints nodes_trueleafs; ints "
     "nodes_truenodeids; int post_transform = 0; ints tree_roots",
     ConvertTreeEnsemble},
    {"ai.onnx.ml::TreeEnsembleRegressor", "1 3 5", "X",
     "string aggregate_function = SUM; floats base_values; tensor base_values_as_tensor; int n_targets = 1; ints "
     "nodes_falsenodeids; ints nodes_featureids; floats nodes_hitrates; tensor nodes_hitrates_as_tensor; ints "
     "nodes_missing_value_tracks_true; strings nodes_modes; ints nodes_nodeids; ints nodes_treeids; ints "
     "nodes_truenodeids; floats nodes_values; tensor nodes_values_as_tensor; string post_transform = NONE; ints "
     "target_ids; ints target_nodeids; ints target_treeids; floats target_weights; tensor target_weights_as_tensor",
     ConvertTreeEnsembleRegressor},
    {"ai.onnx.ml::TreeEnsembleClassifier", "1 3 5", "X",
     "floats base_values; tensor base_values_as_tensor; ints class_ids; ints class_nodeids; ints class_treeids; floats "
     "class_weights; tensor class_weights_as_tensor; ints classlabels_int64s; strings classlabels_strings; ints "
     "nodes_falsenodeids; ints nodes_featureids; floats nodes_hitrates; tensor nodes_hitrates_as_tensor; ints "
     "nodes_missing_value_tracks_true; strings nodes_modes; ints nodes_nodeids; ints nodes_treeids; ints "
     "nodes_truenodeids; floats nodes_values; tensor nodes_values_as_tensor; string post_transform = NONE",
     ConvertTreeEnsembleClassifier},
};

}  // namespace

auto TreeRows() -> std::span<const OpRow> { return kTreeRows; }

}  // namespace relayopt::onnx
