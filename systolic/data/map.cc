// map(): a function of each element, in the reading thread or in several.
#include <mutex>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_error.h"
#include "systolic/data/parallel_iterator.h"

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

class MapIterator final : public IteratorBase {
 public:
  MapIterator(const std::string& name, const detail::ElementFunction& function,
              std::unique_ptr<IteratorBase> input)
      : name_(name), function_(function), input_(std::move(input)) {}

  bool get_next(Element* out) override {
    Element element;
    const int64_t index = index_++;
    if (!input_->get_next(&element)) return false;
    try {
      *out = function_.call(element);
      check_set(*out);
    } catch (...) {
      std::rethrow_exception(detail::error_for_element(std::current_exception(),
                                                       name_, index, element));
    }
    return true;
  }

  void save(StateWriter& state) override {
    state.begin(name_);
    state.write_int(index_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(name_);
    index_ = state.read_int();
    input_->restore(state);
  }

 private:
  const std::string name_;
  const detail::ElementFunction& function_;
  std::unique_ptr<IteratorBase> input_;
  int64_t index_ = 0;
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
  if (spec.kind() == ElementKind::array) {
    TensorSpec leaf = *spec.array();
    if (leaf.shape.rank() > 0 && leaf.shape[0] == length) leaf.shape.set(0, -1);
    return ElementSpec(leaf);
  }
  std::vector<ElementSpec> items;
  for (const ElementSpec& item : spec.items()) {
    items.push_back(with_unknown_batch(item, length));
  }
  if (spec.kind() == ElementKind::tuple) {
    return ElementSpec::tuple(std::move(items));
  }
  std::vector<std::pair<std::string, ElementSpec>> entries;
  for (size_t i = 0; i < items.size(); ++i) {
    entries.emplace_back(spec.keys()[i], std::move(items[i]));
  }
  return ElementSpec::dict(std::move(entries));
}

class MapDataset final : public TransformBase {
 public:
  MapDataset(std::shared_ptr<const DatasetBase> input,
             detail::ElementFunction function, const MapOptions& options)
      : TransformBase(std::move(input), "map", options.name),
        function_(std::move(function)),
        threads_(detail::thread_count(name(), options.num_parallel_calls)),
        parallel_(options.num_parallel_calls != 1),
        deterministic_(options.deterministic.value_or(true)) {
    detail::check_parameters(name(), function_.parameters,
                             this->input().structure());
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    if (!parallel_ || context.peek) {
      return std::make_unique<MapIterator>(name(), function_,
                                           input().make_iterator(context));
    }
    return std::make_unique<detail::ParallelIterator>(
        input(), context,
        detail::ParallelOptions{.threads = threads_,
                                .deterministic = deterministic_},
        [this](detail::ParallelChunk& chunk, const std::stop_token& stop) {
          map_chunk(chunk, stop);
        });
  }

  // What the function returns shows only when it runs: on the first element.
  ElementSpec element_spec() const override {
    std::lock_guard lock(spec_mutex_);
    if (!spec_) spec_ = find_spec();
    return *spec_;
  }
  ElementSpec structure() const override { return function_.result; }

 private:
  ElementSpec find_spec() const {
    const std::unique_ptr<IteratorBase> inputs =
        input().make_iterator({.peek = true});
    Element element;
    if (!inputs->get_next(&element)) return structure();
    const int64_t length = leading_length(element);
    const bool unknown = leading_unknown(input().element_spec());
    try {
      const ElementSpec spec = function_.call(element).spec();
      return unknown ? with_unknown_batch(spec, length) : spec;
    } catch (...) {
      std::rethrow_exception(detail::error_for_element(std::current_exception(),
                                                       name(), 0, element));
    }
  }

  void map_chunk(detail::ParallelChunk& chunk,
                 const std::stop_token& stop) const {
    chunk.results.reserve(chunk.inputs.size() + 1);
    for (size_t i = 0; i < chunk.inputs.size(); ++i) {
      if (stop.stop_requested()) return;
      detail::ParallelResult& result = chunk.results.emplace_back();
      try {
        result.element = function_.call(chunk.inputs[i]);
        check_set(result.element);
      } catch (...) {
        result.error = detail::error_for_element(
            std::current_exception(), name(),
            chunk.first_index + static_cast<int64_t>(i), chunk.inputs[i]);
      }
      chunk.inputs[i] = Element();  // its memory can be used again at once
    }
  }

  const detail::ElementFunction function_;
  const int threads_;
  const bool parallel_;
  const bool deterministic_;
  mutable std::mutex spec_mutex_;
  mutable std::optional<ElementSpec> spec_;
};

}  // namespace

Dataset Dataset::map_elements(detail::ElementFunction function,
                              const MapOptions& options) const {
  return Dataset(
      std::make_shared<MapDataset>(node(), std::move(function), options));
}

}  // namespace systolic::data
