#include "systolic/graph/node.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "systolic/graph/op.h"

namespace systolic::internal::graph {
namespace {

// A node that needs no platform: nothing is recorded.
NodePtr make_node(std::vector<Ref> inputs, int outputs = 1) {
  auto node = std::make_shared<Node>(NodeKind::operation, outputs);
  for (const Ref& input : inputs) {
    if (input.node->num_outputs > 1) {
      ++input.node->output(input.output).consumers;
    }
  }
  node->inputs = std::move(inputs);
  return node;
}

// An op with a body, of which only the bodies matter here.
struct LoopOptions {
  Regions bodies;
  template <class V>
  void visit(V&&) const {}
};
constexpr Op<LoopOptions> kLoop{
    .name = "loop",
    .infer = [](Infer& in, const LoopOptions&) { return Specs(in[0]); },
    .lower = [](Lower&, const LoopOptions&) { return Values{}; },
    .vjp = not_differentiable("it is a test"),
    .regions = &LoopOptions::bodies};

StoragePtr some_value() {
  return std::make_shared<Storage>(Array::scalar(1.f));
}

TEST(NodeTest, LiteralsHoldTheirValueInTheirDtype) {
  const auto value = [](const NodePtr& node) {
    return literal_array(node->first.spec.dtype, node->literal_bits);
  };
  EXPECT_EQ(value(make_literal(DType::float32, 2.5)).item<float>(), 2.5f);
  EXPECT_EQ(value(make_literal(DType::bfloat16, 2.5)).item<float>(), 2.5f);
  EXPECT_EQ(value(make_literal(DType::float64, 0.1)).item<double>(), 0.1);
  EXPECT_EQ(value(make_literal(DType::float32, int64_t{3})).item<float>(), 3.f);
  EXPECT_EQ(value(make_literal(DType::int32, int64_t{-3})).item<int>(), -3);
  EXPECT_EQ(value(make_literal(DType::int32, 7.9)).item<int>(), 7);
  EXPECT_EQ(value(make_literal(DType::int8, -2.5)).item<int>(), -2);
  EXPECT_EQ(value(make_literal(DType::uint8, int64_t{200})).item<int>(), 200);
  EXPECT_EQ(value(make_literal(DType::int64, int64_t{1} << 60)).item<int64_t>(),
            int64_t{1} << 60);
  EXPECT_TRUE(value(make_literal(DType::boolean, int64_t{2})).item<bool>());
  EXPECT_TRUE(value(make_literal(DType::boolean, 0.5)).item<bool>());
  EXPECT_FALSE(value(make_literal(DType::boolean, 0.0)).item<bool>());
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(value(make_literal(DType::float32, infinity)).item<double>(),
            infinity);
}

TEST(NodeTest, LiteralIsReadable) {
  const NodePtr node = make_literal(DType::int32, int64_t{5});
  EXPECT_EQ(node->first.storage, nullptr);
  make_readable(*node);
  EXPECT_EQ(node->first.storage->host().item<int>(), 5);
  EXPECT_FALSE(node->is_pending(0));
}

TEST(NodeTest, PendingUntilItHasItsValue) {
  const NodePtr node = make_node({}, 2);
  EXPECT_TRUE(node->is_pending(0));
  EXPECT_TRUE(node->is_pending(1));
  node->set_value(1, some_value());
  EXPECT_TRUE(node->is_pending(0));
  EXPECT_FALSE(node->is_pending(1));
  EXPECT_EQ(node->output(1).storage->host().item<float>(), 1.f);
}

TEST(NodeTest, FinishedWhenNobodyCanAskForMore) {
  const NodePtr single = make_node({});
  EXPECT_FALSE(single->is_finished());
  single->set_value(0, some_value());
  EXPECT_TRUE(single->is_finished());

  const NodePtr pair = make_node({}, 2);
  NodePtr consumer = make_node({Ref{pair, 1}});
  pair->set_value(0, some_value());
  EXPECT_FALSE(pair->is_finished()) << "the consumer may ask for the other";
  ++pair->output(1).handles;
  consumer.reset();
  EXPECT_FALSE(pair->is_finished()) << "a handle may";
  --pair->output(1).handles;
  EXPECT_TRUE(pair->is_finished());
}

TEST(NodeTest, LettingGoFreesTheInputs) {
  NodePtr leaf = make_node({});
  const std::weak_ptr<Node> watched = leaf;
  const NodePtr node = make_node({Ref{std::move(leaf), 0}});
  node->options = std::make_shared<int>(3);
  EXPECT_FALSE(watched.expired());
  node->let_go();
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(node->options, nullptr);
  node->let_go();
}

// A thread's stack is a few MB: freeing by recursion would overflow it.
TEST(NodeTest, LongChainIsFreedWithoutRecursion) {
  NodePtr end = make_node({});
  const std::weak_ptr<Node> first = end;
  for (int i = 0; i < 1'000'000; ++i) end = make_node({Ref{end, 0}});
  EXPECT_FALSE(first.expired());
  end.reset();
  EXPECT_TRUE(first.expired());
}

TEST(NodeTest, LongChainThroughOptionsIsFreedWithoutRecursion) {
  NodePtr end = make_node({});
  const std::weak_ptr<Node> first = end;
  for (int i = 0; i < 200'000; ++i) {
    const auto region = std::make_shared<Region>();
    region->captures.push_back(Ref{std::move(end), 0});
    end = make_node({});
    end->op = &kDefinition<kLoop>;
    end->options = region;
  }
  end.reset();
  EXPECT_TRUE(first.expired());
}

TEST(NodeTest, WideGraphIsFreedOnce) {
  std::vector<NodePtr> row{make_node({}), make_node({})};
  const std::weak_ptr<Node> first = row[0];
  for (int i = 0; i < 1000; ++i) {
    row = {make_node({Ref{row[0], 0}, Ref{row[1], 0}}),
           make_node({Ref{row[1], 0}, Ref{row[0], 0}, Ref{row[0], 0}})};
  }
  row.clear();
  EXPECT_TRUE(first.expired());
}

TEST(NodeTest, RecordersAreUsedAgainByLaterThreads) {
  Recorder* const mine = &Recorder::current();
  EXPECT_EQ(&Recorder::current(), mine);
  Recorder *first = nullptr, *second = nullptr;
  std::thread([&] { first = &Recorder::current(); }).join();
  std::thread([&] { second = &Recorder::current(); }).join();
  EXPECT_NE(first, mine);
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace systolic::internal::graph
