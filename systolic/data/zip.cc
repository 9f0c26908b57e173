// zip(): data sets side by side.
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/cardinality.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

class ZipIterator final : public IteratorBase {
 public:
  explicit ZipIterator(std::vector<std::unique_ptr<IteratorBase>> inputs)
      : inputs_(std::move(inputs)) {}

  bool get_next(Element* out) override {
    if (ended_) return false;
    std::vector<Element> items(inputs_.size());
    std::exception_ptr error;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      // An exception must not leave the inputs out of step.
      try {
        if (!inputs_[i]->get_next(&items[i])) {
          ended_ = true;
          return false;
        }
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
    *out = Element::tuple(std::move(items));
    return true;
  }

  void save(StateWriter& state) override {
    state.begin("zip");
    state.write_int(static_cast<int64_t>(inputs_.size()));
    state.write_bool(ended_);
    for (const auto& input : inputs_) input->save(state);
  }
  void restore(StateReader& state) override {
    state.expect("zip");
    const int64_t count = state.read_int();
    if (count != static_cast<int64_t>(inputs_.size())) {
      state.throw_mismatch(std::to_string(count) + " data sets",
                           std::to_string(inputs_.size()));
    }
    ended_ = state.read_bool();
    for (const auto& input : inputs_) input->restore(state);
  }

 private:
  std::vector<std::unique_ptr<IteratorBase>> inputs_;
  bool ended_ = false;
};

class ZipDataset final : public DatasetBase {
 public:
  explicit ZipDataset(std::vector<Dataset> inputs)
      : inputs_(std::move(inputs)) {}

  std::string name() const override { return "zip"; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    std::vector<std::unique_ptr<IteratorBase>> iterators;
    for (const Dataset& input : inputs_) {
      iterators.push_back(input.node()->make_iterator(context));
    }
    return std::make_unique<ZipIterator>(std::move(iterators));
  }
  int64_t cardinality() const override {
    int64_t shortest = INFINITE_CARDINALITY;
    for (const Dataset& input : inputs_) {
      shortest = detail::min_cardinality(shortest, input.cardinality());
    }
    return shortest;
  }
  std::vector<const DatasetBase*> inputs() const override {
    std::vector<const DatasetBase*> nodes;
    for (const Dataset& input : inputs_) nodes.push_back(input.node().get());
    return nodes;
  }
  ElementSpec element_spec() const override {
    std::vector<ElementSpec> specs;
    for (const Dataset& input : inputs_) specs.push_back(input.element_spec());
    return ElementSpec::tuple(std::move(specs));
  }
  ElementSpec structure() const override {
    std::vector<ElementSpec> specs;
    for (const Dataset& input : inputs_) {
      specs.push_back(input.node()->structure());
    }
    return ElementSpec::tuple(std::move(specs));
  }

 private:
  const std::vector<Dataset> inputs_;
};

}  // namespace

Dataset DatasetSources::zip(std::vector<Dataset> datasets) {
  if (datasets.empty()) {
    internal::Message("zip")
        .expected("at least one data set")
        .got("none")
        .raise<ValueError>();
  }
  return Dataset(std::make_shared<ZipDataset>(std::move(datasets)));
}

}  // namespace systolic::data
