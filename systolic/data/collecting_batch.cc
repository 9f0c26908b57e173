// Tested by: systolic/data/padded_batch_test.cc
#include "systolic/data/collecting_batch.h"

#include <algorithm>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/cardinality.h"
#include "systolic/data/composite.h"

namespace systolic::data::detail {
namespace {

class CollectingIterator final : public IteratorBase {
 public:
  CollectingIterator(const CollectingBatch& dataset, int64_t batch_size,
                     bool drop_remainder, const IteratorContext& context,
                     std::unique_ptr<IteratorBase> input)
      : dataset_(dataset),
        // For the spec a batch of one does.
        batch_size_(context.peek ? 1 : static_cast<size_t>(batch_size)),
        drop_remainder_(drop_remainder),
        stop_(context.stop),
        input_(std::move(input)) {}

  bool get_next(Element* out) override {
    if (ended_) return false;
    std::vector<Element> elements;
    Element element;
    while (elements.size() < batch_size_ && !stop_.stop_requested()) {
      if (!input_->get_next(&element)) break;
      elements.push_back(std::move(element));
    }
    ended_ = elements.size() < batch_size_;
    if (elements.empty() || (ended_ && drop_remainder_)) return false;
    *out = dataset_.combine(elements);
    return true;
  }

  void save(StateWriter& state) override {
    state.begin(dataset_.name());
    state.write_bool(ended_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(dataset_.name());
    ended_ = state.read_bool();
    input_->restore(state);
  }

 private:
  const CollectingBatch& dataset_;
  const size_t batch_size_;
  const bool drop_remainder_;
  const std::stop_token stop_;
  std::unique_ptr<IteratorBase> input_;
  bool ended_ = false;
};

[[noreturn]] void throw_differ(const std::string& who, const char* what,
                               const Element& first, const Element& other) {
  internal::Message message(who);
  message.rule("elements of one batch need ", what)
      .detail("element 0 of the batch", first.spec())
      .detail("another", other.spec());
  if (std::string_view(what) == "equal ranks") message.raise<ShapeError>();
  message.raise<TypeError>();
}

}  // namespace

Element combine_leaves(
    const std::string& who, const std::vector<Element>& elements,
    const std::function<Element(const std::vector<Array>&)>& combine,
    const std::function<Element(const std::vector<Element>&)>&
        combine_composites) {
  const Element& first = elements[0];
  if (composite_kind(first) != Composite::none) {
    if (combine_composites) return combine_composites(elements);
    internal::Message(who)
        .expected("elements of dense Arrays")
        .got(first.spec())
        .hint(
            "batch() takes ragged and sparse elements; to_array() and "
            "to_dense() in map() make dense ones")
        .raise<TypeError>();
  }
  if (first.kind() == ElementKind::dataset) {
    internal::Message(who)
        .expected("elements of Arrays")
        .got("one that is a data set: ", first)
        .hint("flat_map() the data sets, or batch each of them in flat_map()")
        .raise<TypeError>();
  }
  if (first.is_array()) {
    std::vector<Array> arrays;
    for (const Element& element : elements) {
      if (!element.is_array()) {
        throw_differ(who, "the same tree", first, element);
      }
      const Array& array = element.array();
      if (array.dtype() != first.array().dtype()) {
        throw_differ(who, "equal dtypes", first, element);
      }
      if (array.rank() != first.array().rank()) {
        throw_differ(who, "equal ranks", first, element);
      }
      arrays.push_back(array);
    }
    return combine(arrays);
  }
  std::vector<Element> items;
  for (size_t i = 0; i < first.items().size(); ++i) {
    std::vector<Element> parts;
    for (const Element& element : elements) {
      if (element.kind() != first.kind() ||
          element.items().size() != first.items().size() ||
          !std::ranges::equal(element.keys(), first.keys())) {
        throw_differ(who, "the same tree", first, element);
      }
      parts.push_back(element.items()[i]);
    }
    items.push_back(combine_leaves(who, parts, combine, combine_composites));
  }
  return Element::like(first, std::move(items));
}

CollectingBatch::CollectingBatch(std::shared_ptr<const DatasetBase> input,
                                 std::string kind, const std::string& user_name,
                                 int64_t batch_size, bool drop_remainder)
    : TransformBase(std::move(input), std::move(kind), user_name),
      batch_size_(batch_size),
      drop_remainder_(drop_remainder) {
  if (batch_size < 1) {
    internal::Message(name())
        .expected("batch_size >= 1")
        .got(batch_size)
        .raise<ValueError>();
  }
}

std::unique_ptr<IteratorBase> CollectingBatch::make_iterator(
    const IteratorContext& context) const {
  return std::make_unique<CollectingIterator>(*this, batch_size_,
                                              drop_remainder_, context,
                                              input().make_iterator(context));
}

int64_t CollectingBatch::cardinality() const {
  return batch_cardinality(input().cardinality(), batch_size_, drop_remainder_);
}

std::string CollectingBatch::parameters() const {
  return internal::concatenate_text("batch_size ", batch_size_,
                                    drop_remainder_ ? ", drop_remainder" : "");
}

int64_t CollectingBatch::batch_length() const {
  return batches_are_whole(input().cardinality(), batch_size_, drop_remainder_)
             ? batch_size_
             : -1;
}

}  // namespace systolic::data::detail
