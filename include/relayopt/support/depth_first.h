// A walk over a graph, depth first and without recursion.
#pragma once

#include <cstddef>
#include <vector>

namespace relayopt {

// Walks from `root` to the children of each node, and to theirs, before the next node.
//   enter(node)     is called when the walk comes to a node. It returns whether the walk goes on to its children: a
//                   walk that visits shared nodes once remembers here which it has seen.
//   count(node)     is the number of children of a node that is entered.
//   child(node, i)  returns child i, each once and in order. The walk comes to it next.
//   leave(node)     is called after the children of a node that is entered.
template <typename Node, typename Enter, typename Count, typename Child, typename Leave>
void WalkDepthFirst(const Node& root, Enter&& enter, Count&& count, Child&& child, Leave&& leave) {
  struct Step {
    Node node;
    size_t next = 0;
  };
  std::vector<Step> open;
  if (enter(root)) open.push_back({root});
  while (!open.empty()) {
    Step& top = open.back();
    if (top.next < count(top.node)) {
      const Node next = child(top.node, top.next++);
      if (enter(next)) open.push_back({next});
      continue;
    }
    const Node node = top.node;
    open.pop_back();
    leave(node);
  }
}

}  // namespace relayopt
