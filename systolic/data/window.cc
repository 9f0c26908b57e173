// window(): data sets of elements that follow each other.
#include <algorithm>
#include <deque>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/dataset.h"
#include "systolic/data/rows_dataset.h"
#include "systolic/data/spec_tree.h"

namespace systolic::data {
namespace {

struct WindowSettings {
  std::string who;
  int64_t size = 1;
  int64_t shift = 1;
  int64_t stride = 1;
  bool drop_remainder = false;

  // From the first element of a window to its last.
  int64_t span() const { return (size - 1) * stride + 1; }
};

class WindowIterator final : public IteratorBase {
 public:
  WindowIterator(const WindowSettings& settings, const IteratorContext& context,
                 std::unique_ptr<IteratorBase> input)
      : settings_(settings),
        // For the spec a window of one element does.
        span_(context.peek ? 1 : static_cast<size_t>(settings.span())),
        drop_remainder_(settings.drop_remainder && !context.peek),
        stop_(context.stop),
        input_(std::move(input)) {}

  bool get_next(Element* out) override {
    Element element;
    while (skip_ > 0 && !ended_) {
      if (stop_.stop_requested()) return false;
      --skip_;  // an element that throws counts
      ended_ = !input_->get_next(&element);
    }
    while (buffer_.size() < span_ && !ended_) {
      if (stop_.stop_requested()) return false;
      if (input_->get_next(&element)) {
        buffer_.push_back(std::move(element));
      } else {
        ended_ = true;
      }
    }
    if (buffer_.empty() || (drop_remainder_ && buffer_.size() < span_)) {
      return false;
    }
    auto rows = std::make_shared<std::vector<Element>>();
    const auto end = std::min(span_, buffer_.size());
    for (size_t i = 0; i < end; i += static_cast<size_t>(settings_.stride)) {
      rows->push_back(buffer_[i]);
    }
    *out = detail::rows_tree(settings_.who, std::move(rows));
    const auto shift = static_cast<size_t>(settings_.shift);
    const size_t gone = std::min(shift, buffer_.size());
    buffer_.erase(buffer_.begin(),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(gone));
    skip_ = static_cast<int64_t>(shift - gone);
    return true;
  }

  void save(StateWriter& state) override {
    state.begin(settings_.who);
    state.write_int(skip_);
    state.write_bool(ended_);
    state.write_element(Element::tuple({buffer_.begin(), buffer_.end()}));
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(settings_.who);
    skip_ = state.read_int();
    ended_ = state.read_bool();
    const Element kept = state.read_element();
    buffer_.assign(kept.items().begin(), kept.items().end());
    input_->restore(state);
  }

 private:
  const WindowSettings& settings_;
  const size_t span_;
  const bool drop_remainder_;
  const std::stop_token stop_;
  std::unique_ptr<IteratorBase> input_;
  std::deque<Element> buffer_;  // from the next window's first element on
  int64_t skip_ = 0;            // elements between two windows
  bool ended_ = false;          // the input
};

// The spec with data sets for leaves.
ElementSpec window_spec(const ElementSpec& spec) {
  if (spec.items().empty()) {
    return spec.kind() == ElementKind::unknown ? spec
                                               : ElementSpec::dataset(spec);
  }
  std::vector<ElementSpec> items;
  for (const ElementSpec& item : spec.items()) {
    items.push_back(window_spec(item));
  }
  return detail::spec_like(spec, std::move(items));
}

class WindowDataset final : public TransformBase {
 public:
  WindowDataset(std::shared_ptr<const DatasetBase> input, int64_t size,
                const WindowOptions& options)
      : TransformBase(std::move(input), "window", options.name),
        settings_{name(), size, options.shift.value_or(size), options.stride,
                  options.drop_remainder} {
    check("size", settings_.size);
    check("shift", settings_.shift);
    check("stride", settings_.stride);
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<WindowIterator>(settings_, context,
                                            input().make_iterator(context));
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    if (elements < 0) return elements;
    const int64_t starts =
        settings_.drop_remainder ? elements - settings_.span() : elements - 1;
    return starts < 0 ? 0 : starts / settings_.shift + 1;
  }
  ElementSpec element_spec() const override {
    return window_spec(input().element_spec());
  }
  ElementSpec structure() const override {
    return window_spec(input().structure());
  }
  std::string parameters() const override {
    return internal::concatenate_text(
        "size ", settings_.size, ", shift ", settings_.shift, ", stride ",
        settings_.stride, settings_.drop_remainder ? ", drop_remainder" : "");
  }

 private:
  void check(const char* what, int64_t value) const {
    if (value >= 1) return;
    internal::Message(name())
        .expected(what, " >= 1")
        .got(value)
        .raise<ValueError>();
  }

  const WindowSettings settings_;
};

}  // namespace

Dataset DatasetGrouping::window(int64_t size,
                                const WindowOptions& options) const {
  return Dataset(std::make_shared<WindowDataset>(node(), size, options));
}

}  // namespace systolic::data
