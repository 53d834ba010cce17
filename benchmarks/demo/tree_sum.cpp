// SPDX-License-Identifier: Apache-2.0
// The sum of the nodes of a binary tree, after Figure 2 of the TaskProf paper: create_tree is
// serial, and a recursive parallel sum uses a serial sum for subtrees below a base size. Both
// serial parts are marked as causal regions: the profile reports what optimizing them would gain.
// (In this program nearly all parallelism is lost in create_tree.)
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <oneapi/tbb/task_group.h>
#include <tp/causal.h>

namespace {

struct Node {
  std::uint64_t value;
  std::uint64_t num_nodes; // in the subtree rooted here
  const Node* left;
  const Node* right;
};

std::uint64_t base = 0; // subtrees of at most this many nodes are summed serially

// A few rounds of a mixing function: the work on one node.
std::uint64_t mixed(std::uint64_t value, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    value ^= value >> 31;
    value *= 0x9e3779b97f4a7c15u;
  }
  return value;
}

// `nodes` has capacity for all nodes, so that a pointer to a node stays valid.
const Node* create_tree(std::uint64_t num_nodes, std::uint64_t seed, std::vector<Node>& nodes) {
  if (num_nodes == 0)
    return nullptr;
  Node& node = nodes.emplace_back(Node{mixed(seed, 100), num_nodes, nullptr, nullptr});
  const std::uint64_t left_nodes = (num_nodes - 1) / 2;
  node.left = create_tree(left_nodes, 2 * seed, nodes);
  node.right = create_tree(num_nodes - 1 - left_nodes, 2 * seed + 1, nodes);
  return &node;
}

std::uint64_t serial_tree_sum(const Node* node) {
  if (!node)
    return 0;
  return mixed(node->value, 400) % 1000 + serial_tree_sum(node->left) +
         serial_tree_sum(node->right);
}

void compute_tree_sum(const Node* node, std::uint64_t* sum) {
  if (node->num_nodes <= base) {
    causal_begin("serial_tree_sum");
    *sum = serial_tree_sum(node);
    causal_end("serial_tree_sum");
    return;
  }
  std::uint64_t left_sum = 0, right_sum = 0;
  tbb::task_group group;
  if (node->left)
    group.run([&] { compute_tree_sum(node->left, &left_sum); });
  if (node->right)
    group.run([&] { compute_tree_sum(node->right, &right_sum); });
  group.wait();
  *sum = mixed(node->value, 400) % 1000 + left_sum + right_sum;
}

} // namespace

int main(int argc, char** argv) {
  const std::uint64_t num_nodes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4'000'000;
  base = num_nodes / 256 + 1;

  causal_begin("create_tree");
  std::vector<Node> nodes;
  nodes.reserve(num_nodes);
  const Node* root = create_tree(num_nodes, 1, nodes);
  causal_end("create_tree");
  if (!root)
    return 2;

  std::uint64_t sum = 0;
  tbb::task_group group;
  group.run([&] { compute_tree_sum(root, &sum); });
  group.wait();
  std::printf("sum of %llu nodes: %llu\n", static_cast<unsigned long long>(num_nodes),
              static_cast<unsigned long long>(sum));
}
