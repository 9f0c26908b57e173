// unique(): each element once.
#include <unordered_set>
#include <utility>

#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

// Bytes that equal elements have in common and others have not.
void append_key(const Element& element, std::string* key) {
  const auto append_size = [key](uint64_t size) {
    key->append(reinterpret_cast<const char*>(&size), sizeof size);
  };
  key->push_back(static_cast<char>(element.kind()));
  append_size(element.size());
  for (const std::string& name : element.keys()) {
    append_size(name.size());
    *key += name;
  }
  for (const Element& item : element.items()) append_key(item, key);
  if (!element.is_array()) return;
  const Array& array = element.array();
  key->push_back(static_cast<char>(array.dtype()));
  append_size(static_cast<uint64_t>(array.rank()));
  for (int64_t length : array.shape()) {
    append_size(static_cast<uint64_t>(length));
  }
  if (array.dtype() != DType::string) {
    key->append(reinterpret_cast<const char*>(array.data()), array.nbytes());
    return;
  }
  for (const std::string& text : array.span<std::string>()) {
    append_size(text.size());
    *key += text;
  }
}

class UniqueIterator final : public IteratorBase {
 public:
  UniqueIterator(std::string name, const IteratorContext& context,
                 std::unique_ptr<IteratorBase> input)
      : name_(std::move(name)), stop_(context.stop), input_(std::move(input)) {}

  bool get_next(Element* out) override {
    while (!stop_.stop_requested()) {
      if (!input_->get_next(out)) return false;
      std::string key;
      append_key(*out, &key);
      if (seen_.insert(std::move(key)).second) return true;
    }
    return false;
  }

  void save(StateWriter& state) override {
    state.begin(name_);
    state.write_int(static_cast<int64_t>(seen_.size()));
    for (const std::string& key : seen_) state.write_string(key);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(name_);
    for (int64_t left = state.read_int(); left > 0; --left) {
      seen_.insert(state.read_string());
    }
    input_->restore(state);
  }

 private:
  const std::string name_;
  const std::stop_token stop_;
  std::unique_ptr<IteratorBase> input_;
  std::unordered_set<std::string> seen_;
};

class UniqueDataset final : public TransformBase {
 public:
  UniqueDataset(std::shared_ptr<const DatasetBase> input,
                const std::string& name)
      : TransformBase(std::move(input), "unique", name) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<UniqueIterator>(name(), context,
                                            input().make_iterator(context));
  }
  int64_t cardinality() const override {
    return input().cardinality() == 0 ? 0 : UNKNOWN_CARDINALITY;
  }
};

}  // namespace

Dataset Dataset::unique(const std::string& name) const {
  return Dataset(std::make_shared<UniqueDataset>(node(), name));
}

}  // namespace systolic::data
