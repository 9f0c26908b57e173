// enumerate(): each element with its index.
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

class EnumerateIterator final : public IteratorBase {
 public:
  EnumerateIterator(int64_t start, std::unique_ptr<IteratorBase> input)
      : index_(start), input_(std::move(input)) {}

  bool get_next(Element* out) override {
    const int64_t index = index_++;  // an element that throws has one too
    Element element;
    if (!input_->get_next(&element)) return false;
    std::vector<Element> items;
    items.reserve(2);
    items.emplace_back(Array::scalar(index));
    items.push_back(std::move(element));
    *out = Element::tuple(std::move(items));
    return true;
  }

  void save(StateWriter& state) override {
    state.begin("enumerate");
    state.write_int(index_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect("enumerate");
    index_ = state.read_int();
    input_->restore(state);
  }

 private:
  int64_t index_;
  std::unique_ptr<IteratorBase> input_;
};

ElementSpec with_index(ElementSpec spec) {
  return ElementSpec::tuple(
      {ElementSpec(TensorSpec{DType::int64, Shape::scalar()}),
       std::move(spec)});
}

class EnumerateDataset final : public TransformBase {
 public:
  EnumerateDataset(std::shared_ptr<const DatasetBase> input, int64_t start)
      : TransformBase(std::move(input), "enumerate"), start_(start) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<EnumerateIterator>(start_,
                                               input().make_iterator(context));
  }
  ElementSpec element_spec() const override {
    return with_index(input().element_spec());
  }
  ElementSpec structure() const override {
    return with_index(input().structure());
  }
  std::string parameters() const override {
    return internal::concatenate_text("start ", start_);
  }

 private:
  const int64_t start_;
};

}  // namespace

Dataset Dataset::enumerate(int64_t start) const {
  return Dataset(std::make_shared<EnumerateDataset>(node(), start));
}

}  // namespace systolic::data
