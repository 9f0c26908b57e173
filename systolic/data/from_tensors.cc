// from_tensors(): one element.
#include <utility>

#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "from_tensors";

class TensorsIterator final : public IteratorBase {
 public:
  explicit TensorsIterator(Element element) : element_(std::move(element)) {}

  bool get_next(Element* out) override {
    if (given_) return false;
    given_ = true;
    *out = element_;
    return true;
  }

  void save(StateWriter& state) override {
    state.begin(kName);
    state.write_bool(given_);
  }
  void restore(StateReader& state) override {
    state.expect(kName);
    given_ = state.read_bool();
  }

 private:
  const Element element_;
  bool given_ = false;
};

class TensorsDataset final : public DatasetBase {
 public:
  explicit TensorsDataset(Element element) : element_(std::move(element)) {}

  std::string name() const override { return kName; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext&) const override {
    return std::make_unique<TensorsIterator>(element_);
  }
  int64_t cardinality() const override { return 1; }
  ElementSpec element_spec() const override { return element_.spec(); }
  std::string parameters() const override {
    return element_.spec().to_string();
  }

 private:
  const Element element_;
};

}  // namespace

Dataset DatasetSources::from_tensors(Element tensors) {
  return Dataset(std::make_shared<TensorsDataset>(std::move(tensors)));
}

}  // namespace systolic::data
