// map(): a function of each element, in the reading thread or in several.
#include <atomic>
#include <utility>

#include "systolic/base/element_seed.h"
#include "systolic/base/message.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_error.h"
#include "systolic/data/first_element.h"
#include "systolic/data/origin_scope.h"
#include "systolic/data/parallel_iterator.h"
#include "systolic/data/pass_seed.h"
#include "systolic/data/spec_tree.h"

namespace systolic::data {
namespace {

// An unset Array has no elements to pass on.
void check_set(const Element& element) {
  if (element.is_array()) {
    if (element.array().is_set()) return;
    internal::Message("function")
        .expected("a result with elements")
        .got("an unset Array (Array())")
        .raise<ValueError>();
  }
  for (const Element& item : element.items()) check_set(item);
}

// What the iterators of one map() share.
struct MapNode {
  std::string name;
  detail::ElementFunction function;
  PassSeed seeds{internal::draw_pipeline_seed()};
  // Whether an element drew a random number.
  std::atomic<bool> randomizes = false;

  // The function of element `index` of a pass. Throws what it threw, with the
  // element's name.
  Element call(Element& element, const PassSeed::Pass& pass, int64_t index) {
    const detail::OriginScope origins(element);
    try {
      const internal::ElementSeedScope scope(
          {pass.seed, pass.number, static_cast<uint64_t>(index)});
      Element result = function.call(element);
      check_set(result);
      if (scope.has_drawn()) randomizes = true;
      origins.place(&result);
      return result;
    } catch (...) {
      std::rethrow_exception(detail::error_for_element(
          std::current_exception(), name, index, origins.text()));
    }
  }
};

class MapIterator final : public IteratorBase {
 public:
  MapIterator(MapNode& node, bool peek, std::shared_ptr<StageCounters> stage,
              std::unique_ptr<IteratorBase> input)
      : node_(node),
        stage_(std::move(stage)),
        input_(std::move(input)),
        pass_(peek ? PassSeed::Pass() : node.seeds.begin()) {}

  bool get_next(Element* out) override {
    Element element;
    const int64_t index = index_++;
    if (!input_->get_next(&element)) return false;
    const StageTimer timer(stage_.get());
    *out = node_.call(element, pass_, index);
    return true;
  }

  void save(StateWriter& state) override {
    state.begin(node_.name);
    PassSeed::save(pass_, state);
    state.write_int(index_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(node_.name);
    pass_ = PassSeed::restore_pass(state);
    index_ = state.read_int();
    input_->restore(state);
  }

 private:
  MapNode& node_;
  const std::shared_ptr<StageCounters> stage_;
  std::unique_ptr<IteratorBase> input_;
  PassSeed::Pass pass_;
  int64_t index_ = 0;
};

class ParallelMapIterator final : public IteratorBase {
 public:
  ParallelMapIterator(MapNode& node, const DatasetBase& input,
                      const IteratorContext& context,
                      const detail::ParallelOptions& options)
      : node_(node),
        pass_(node.seeds.begin()),
        calls_(
            input, context, options,
            [this](detail::ParallelChunk& chunk, const std::stop_token& stop) {
              map_chunk(chunk, stop);
            }) {}

  bool get_next(Element* out) override { return calls_.get_next(out); }
  bool is_at_hand() const override { return calls_.is_at_hand(); }
  void begin_batch(int64_t rows) override { calls_.begin_batch(rows); }

  void save(StateWriter& state) override {
    state.begin(node_.name);
    PassSeed::save(pass_, state);
    calls_.save(state);
  }
  void restore(StateReader& state) override {
    state.expect(node_.name);
    pass_ = PassSeed::restore_pass(state);
    calls_.restore(state);
  }

 private:
  void map_chunk(detail::ParallelChunk& chunk,
                 const std::stop_token& stop) const {
    chunk.results.reserve(chunk.inputs.size() + 1);
    for (size_t i = 0; i < chunk.inputs.size(); ++i) {
      if (stop.stop_requested()) return;
      detail::ParallelResult& result = chunk.results.emplace_back();
      try {
        result.element =
            node_.call(chunk.inputs[i], pass_,
                       chunk.first_index + static_cast<int64_t>(i));
      } catch (...) {
        result.error = std::current_exception();
      }
      chunk.inputs[i] = Element();  // its memory can be used again at once
    }
  }

  MapNode& node_;
  PassSeed::Pass pass_;
  detail::ParallelIterator calls_;  // its threads end first
};

// The length of the first axis of the first Array, or -1.
int64_t leading_length(const Element& element) {
  if (element.is_array()) {
    return element.array().rank() > 0 ? element.array().shape()[0] : -1;
  }
  return element.items().empty() ? -1 : leading_length(element.items()[0]);
}

bool leading_unknown(const ElementSpec& spec) {
  if (spec.array() && spec.array()->shape.rank() > 0) {
    return spec.array()->shape[0] == -1;
  }
  return !spec.items().empty() && leading_unknown(spec.items()[0]);
}

// `spec` with -1 for every first axis of `length`: the batch axis.
ElementSpec with_unknown_batch(const ElementSpec& spec, int64_t length) {
  return detail::map_leaves(spec, [length](TensorSpec leaf) {
    const bool is_batch = leaf.shape.rank() > 0 && leaf.shape[0] == length;
    if (is_batch) leaf.shape.set(0, -1);
    return leaf;
  });
}

class MapDataset final : public TransformBase {
 public:
  MapDataset(std::shared_ptr<const DatasetBase> input,
             detail::ElementFunction function, const MapOptions& options)
      : TransformBase(std::move(input), "map", options.name),
        node_{.name = name(), .function = std::move(function)},
        num_parallel_calls_(options.num_parallel_calls),
        deterministic_(options.deterministic) {
    detail::check_parallel_calls(name(), num_parallel_calls_);
    detail::check_parameters(name(), node_.function.parameters,
                             this->input().structure());
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    if (num_parallel_calls_ == 1 || context.peek) {
      return std::make_unique<MapIterator>(node_, context.peek,
                                           context.stage(*this),
                                           input().make_iterator(context));
    }
    return std::make_unique<ParallelMapIterator>(
        node_, input(), context,
        detail::ParallelOptions{
            .name = name(),
            .stage = context.stage(*this),
            .threads = detail::thread_range(context, num_parallel_calls_),
            .deterministic = context.is_deterministic(deterministic_)});
  }

  // What the function returns shows only when it runs: on the first element.
  ElementSpec element_spec() const override {
    return spec_.get([this] { return find_spec(); });
  }
  ElementSpec structure() const override { return node_.function.result; }
  void save_node(StateWriter& state) const override { node_.seeds.save(state); }
  void restore_node(StateReader& state) const override {
    node_.seeds.restore(state);
  }
  bool randomizes() const override {
    return node_.randomizes || input().randomizes();
  }
  std::string parameters() const override {
    return detail::calls_text(num_parallel_calls_);
  }
  std::optional<std::string> element_parameters() const override { return ""; }

 private:
  ElementSpec find_spec() const {
    Element element;
    if (!detail::first_element(input(), &element)) return structure();
    const int64_t length = leading_length(element);
    const bool unknown = leading_unknown(input().element_spec());
    const ElementSpec spec = node_.call(element, {}, 0).spec();
    return unknown ? with_unknown_batch(spec, length) : spec;
  }

  mutable MapNode node_;
  const int64_t num_parallel_calls_;
  const std::optional<bool> deterministic_;
  mutable detail::LazySpec spec_;
};

}  // namespace

Dataset Dataset::map_elements(detail::ElementFunction function,
                              const MapOptions& options) const {
  return Dataset(
      std::make_shared<MapDataset>(node(), std::move(function), options));
}

}  // namespace systolic::data
