// Sugiyama's layout, in four steps:
//
//   1. Layers. Items are put in topological order; edges that close a cycle are turned round. Each item is one layer
//      below the lowest of its operands, and items without operands are right above their first user.
//   2. Bends. An edge over several layers gets an invisible item on each of them, shared by all edges of its source.
//      Their number, and that of the bends of all edges, is limited by that of items, so that a value that is used
//      everywhere costs no square. An edge beyond the limit is drawn without bends.
//   3. Order. Layers are swept down and up, and sorted by the mean position of their neighbours on the layer before.
//   4. Positions. Each layer is given the places nearest to those that its neighbours want, in the least-squares sense,
//      that keep order and distances: overlapping runs move as blocks (pool adjacent violators).
#include "layered_layout.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

namespace relayopt {

namespace {

constexpr int32_t kGapX = 24;
constexpr int32_t kGapY = 34;
constexpr int kOrderSweeps = 6;
constexpr int kPositionSweeps = 8;
// Invisible items for each item, beyond a fixed number.
constexpr size_t kBendsPerItem = 6;
constexpr size_t kFreeBends = 2000;
// The same for the bends of all edges, which count the invisible items once for each edge through them.
constexpr size_t kPointsPerItem = 24;
constexpr size_t kFreePoints = 20'000;

class LayeredLayout {
 public:
  explicit LayeredLayout(LayeredItems& items) : items_(items), count_(items.boxes.size()) {}

  void Run() {
    items_.bends.assign(items_.edges.size(), {});
    if (count_ == 0) return;
    FindOrder();
    FindLayers();
    AddBends();
    SortLayers();
    Place();
    Store();
  }

 private:
  // An item or an invisible one.
  struct Cell {
    uint32_t layer = 0;
    int32_t width = 0;
    int32_t height = 0;
    // The position in its layer, and the center.
    double at = 0;
    double x = 0;
    std::vector<uint32_t> above;
    std::vector<uint32_t> below;
  };

  // The position of each item in a topological order; of a cycle, the item of the lowest number comes first.
  void FindOrder() {
    std::vector<uint32_t> waiting(count_, 0);
    std::vector<std::vector<uint32_t>> users(count_);
    for (const auto& [from, to] : items_.edges) {
      if (from == to) continue;
      ++waiting[to];
      users[from].push_back(to);
    }
    order_.assign(count_, 0);
    std::vector<bool> done(count_, false);
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
    for (uint32_t i = 0; i < count_; ++i) {
      if (waiting[i] == 0) ready.push(i);
    }
    uint32_t next = 0;
    uint32_t first_open = 0;
    while (next < count_) {
      while (first_open < count_ && done[first_open]) ++first_open;
      const uint32_t item = ready.empty() ? first_open : ready.top();
      if (!ready.empty()) ready.pop();
      if (done[item]) continue;
      done[item] = true;
      order_[item] = next++;
      for (const uint32_t user : users[item]) {
        if (--waiting[user] == 0 && !done[user]) ready.push(user);
      }
    }
  }

  void FindLayers() {
    std::vector<uint32_t> by_order(count_);
    for (uint32_t i = 0; i < count_; ++i) by_order[order_[i]] = i;
    std::vector<std::vector<uint32_t>> above(count_);
    std::vector<std::vector<uint32_t>> below(count_);
    for (auto [from, to] : items_.edges) {
      if (from == to) continue;
      if (order_[from] > order_[to]) std::swap(from, to);
      above[to].push_back(from);
      below[from].push_back(to);
    }
    cells_.resize(count_);
    for (const uint32_t item : by_order) {
      for (const uint32_t operand : above[item])
        cells_[item].layer = std::max(cells_[item].layer, cells_[operand].layer + 1);
    }
    for (uint32_t i = 0; i < count_; ++i) {
      cells_[i].width = items_.boxes[i].width;
      cells_[i].height = items_.boxes[i].height;
      if (!above[i].empty() || below[i].empty()) continue;
      uint32_t first = std::numeric_limits<uint32_t>::max();
      for (const uint32_t user : below[i]) first = std::min(first, cells_[user].layer);
      cells_[i].layer = first - 1;
    }
  }

  void AddBends() {
    // Short edges first: they need bends most.
    std::vector<uint32_t> edges(items_.edges.size());
    std::iota(edges.begin(), edges.end(), 0U);
    const auto length = [&](uint32_t edge) {
      const auto [from, to] = items_.edges[edge];
      return cells_[from].layer > cells_[to].layer ? cells_[from].layer - cells_[to].layer
                                                   : cells_[to].layer - cells_[from].layer;
    };
    std::ranges::stable_sort(edges, {}, length);
    size_t left = kBendsPerItem * count_ + kFreeBends;
    size_t points_left = kPointsPerItem * count_ + kFreePoints;
    paths_.assign(items_.edges.size(), {});
    // The invisible items below each item, layer by layer.
    std::vector<std::vector<uint32_t>> chain(count_);
    for (const uint32_t edge : edges) {
      auto [from, to] = items_.edges[edge];
      if (from == to) continue;
      if (cells_[from].layer > cells_[to].layer) std::swap(from, to);
      const size_t needed = length(edge) == 0 ? 0 : length(edge) - 1;
      if (needed > chain[from].size() + left || needed > points_left) continue;
      points_left -= needed;
      while (chain[from].size() < needed) {
        const uint32_t last = chain[from].empty() ? from : chain[from].back();
        const auto bend = static_cast<uint32_t>(cells_.size());
        Cell cell;
        cell.layer = cells_[last].layer + 1;
        cell.width = 4;
        cells_.push_back(std::move(cell));
        Link(last, bend);
        chain[from].push_back(bend);
        --left;
      }
      paths_[edge].assign(chain[from].begin(), chain[from].begin() + static_cast<ptrdiff_t>(needed));
      Link(needed == 0 ? from : chain[from][needed - 1], to);
    }
  }

  void Link(uint32_t upper, uint32_t lower) {
    cells_[upper].below.push_back(lower);
    cells_[lower].above.push_back(upper);
  }

  void SortLayers() {
    uint32_t last = 0;
    for (const Cell& cell : cells_) last = std::max(last, cell.layer);
    layers_.resize(last + 1);
    std::vector<uint32_t> by_order(cells_.size());
    std::iota(by_order.begin(), by_order.end(), 0U);
    for (const uint32_t cell : by_order) layers_[cells_[cell].layer].push_back(cell);
    for (auto& layer : layers_) Number(layer);
    for (int sweep = 0; sweep < kOrderSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (size_t i = 0; i < layers_.size(); ++i) SortLayer(layers_[down ? i : layers_.size() - 1 - i], down);
    }
  }

  void Number(const std::vector<uint32_t>& layer) {
    for (size_t i = 0; i < layer.size(); ++i)
      cells_[layer[i]].at = static_cast<double>(i) - static_cast<double>(layer.size()) / 2;
  }

  void SortLayer(std::vector<uint32_t>& layer, bool down) {
    std::vector<std::pair<double, uint32_t>> wanted;
    for (const uint32_t id : layer) {
      const Cell& cell = cells_[id];
      const std::vector<uint32_t>& near = down ? cell.above : cell.below;
      double sum = 0;
      for (const uint32_t neighbour : near) sum += cells_[neighbour].at;
      wanted.emplace_back(near.empty() ? cell.at : sum / static_cast<double>(near.size()), id);
    }
    std::ranges::stable_sort(wanted, {}, &std::pair<double, uint32_t>::first);
    for (size_t i = 0; i < layer.size(); ++i) layer[i] = wanted[i].second;
    Number(layer);
  }

  void Place() {
    for (auto& layer : layers_) {
      double x = 0;
      for (const uint32_t id : layer) {
        cells_[id].x = x + cells_[id].width / 2.0;
        x += cells_[id].width + kGapX;
      }
      for (const uint32_t id : layer) cells_[id].x -= x / 2;
    }
    for (int sweep = 0; sweep < kPositionSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (size_t i = 0; i < layers_.size(); ++i) PlaceLayer(layers_[down ? i : layers_.size() - 1 - i], down);
    }
  }

  // Where a cell would be best, and how much that matters.
  auto Wanted(const Cell& cell, bool down) const -> std::pair<double, double> {
    const std::vector<uint32_t>& near = down ? cell.above : cell.below;
    if (near.empty()) return {cell.x, 0.1};
    double sum = 0;
    double weight = 0;
    for (const uint32_t neighbour : near) {
      // Lines without bends are worth most.
      const double w = cell.height == 0 && cells_[neighbour].height == 0 ? 4 : 1;
      sum += w * cells_[neighbour].x;
      weight += w;
    }
    return {sum / weight, weight};
  }

  void PlaceLayer(const std::vector<uint32_t>& layer, bool down) {
    // A run of cells that touch. `sum` and `weight` are of the wanted places, less the offset in the layer.
    struct Block {
      double sum;
      double weight;
      size_t begin;
    };
    std::vector<double> offset(layer.size(), 0);
    for (size_t i = 1; i < layer.size(); ++i) {
      offset[i] = offset[i - 1] + (cells_[layer[i - 1]].width + cells_[layer[i]].width) / 2.0 + kGapX;
    }
    std::vector<Block> blocks;
    for (size_t i = 0; i < layer.size(); ++i) {
      const auto [place, weight] = Wanted(cells_[layer[i]], down);
      blocks.push_back({weight * (place - offset[i]), weight, i});
      while (blocks.size() > 1) {
        Block& before = blocks[blocks.size() - 2];
        const Block& block = blocks.back();
        if (before.sum / before.weight <= block.sum / block.weight) break;
        before.sum += block.sum;
        before.weight += block.weight;
        blocks.pop_back();
      }
    }
    for (size_t b = 0; b < blocks.size(); ++b) {
      const size_t end = b + 1 < blocks.size() ? blocks[b + 1].begin : layer.size();
      for (size_t i = blocks[b].begin; i < end; ++i) cells_[layer[i]].x = blocks[b].sum / blocks[b].weight + offset[i];
    }
  }

  void Store() {
    double left = std::numeric_limits<double>::max();
    double right = std::numeric_limits<double>::lowest();
    for (const Cell& cell : cells_) {
      left = std::min(left, cell.x - cell.width / 2.0);
      right = std::max(right, cell.x + cell.width / 2.0);
    }
    int32_t y = 0;
    std::vector<LayoutPoint> center(cells_.size());
    for (const auto& layer : layers_) {
      int32_t height = 0;
      for (const uint32_t id : layer) height = std::max(height, cells_[id].height);
      for (const uint32_t id : layer) center[id] = {static_cast<int32_t>(cells_[id].x - left), y + height / 2};
      y += height + kGapY;
    }
    for (uint32_t i = 0; i < count_; ++i) {
      LayoutBox& box = items_.boxes[i];
      box.x = center[i].x - box.width / 2;
      box.y = center[i].y - box.height / 2;
    }
    for (size_t edge = 0; edge < items_.edges.size(); ++edge) {
      const auto [from, to] = items_.edges[edge];
      for (const uint32_t bend : paths_[edge]) items_.bends[edge].push_back(center[bend]);
      if (cells_[from].layer > cells_[to].layer) std::ranges::reverse(items_.bends[edge]);
    }
    items_.width = static_cast<int32_t>(right - left);
    items_.height = y - kGapY;
  }

  LayeredItems& items_;
  size_t count_;
  std::vector<uint32_t> order_;
  std::vector<Cell> cells_;
  // The invisible items of each edge.
  std::vector<std::vector<uint32_t>> paths_;
  std::vector<std::vector<uint32_t>> layers_;
};

}  // namespace

void LayeredItems::LayOut() { LayeredLayout(*this).Run(); }

}  // namespace relayopt
