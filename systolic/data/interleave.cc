// interleave() and flat_map(): the elements of data sets that a function makes.
#include <utility>

#include "systolic/base/element_seed.h"
#include "systolic/base/message.h"
#include "systolic/data/cycle.h"
#include "systolic/data/dataset.h"
#include "systolic/data/first_element.h"
#include "systolic/data/parallel_cycle.h"
#include "systolic/data/parallel_iterator.h"

namespace systolic::data {
namespace {

// The cycle's length where nobody chose one: the same on every machine, since
// the order depends on it.
constexpr int64_t kCycleLength = 16;
// More places than data sets can be open: a number that was not meant.
constexpr int64_t kMostPlaces = int64_t{1} << 20;

class InterleaveDataset final : public TransformBase {
 public:
  InterleaveDataset(std::shared_ptr<const DatasetBase> input,
                    detail::DatasetFunction function, const std::string& kind,
                    const InterleaveOptions& options)
      : TransformBase(std::move(input), kind, options.name) {
    detail::check_parameters(name(), function.parameters,
                             this->input().structure());
    settings_.who = name();
    settings_.node = this;
    settings_.make = [call = std::move(function.call)](Element& element) {
      return call(element).node();
    };
    settings_.block_length = checked("block_length", options.block_length);
    settings_.deterministic = options.deterministic;
    settings_.seeds = &seeds_;
    const int64_t calls = options.num_parallel_calls;
    detail::check_parallel_calls(name(), calls);
    if (options.cycle_length != AUTOTUNE) {
      settings_.cycle_length = checked("cycle_length", options.cycle_length);
    } else {
      settings_.cycle_length = calls > 1 ? calls : kCycleLength;
    }
    if (settings_.cycle_length > kMostPlaces) {
      internal::Message(name())
          .expected("cycle_length <= ", kMostPlaces)
          .got(settings_.cycle_length)
          .hint("it is the number of data sets that are open at once")
          .raise<ValueError>();
    }
    settings_.num_parallel_calls = calls;
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    if (settings_.num_parallel_calls == 1 || context.peek) {
      return detail::make_cycle_iterator(settings_, input(), context);
    }
    return std::make_unique<detail::ParallelCycleIterator>(settings_, input(),
                                                           context);
  }
  int64_t cardinality() const override {
    return input().cardinality() == 0 ? 0 : UNKNOWN_CARDINALITY;
  }
  // That of the first data set, which has to be made for it.
  ElementSpec element_spec() const override {
    return spec_.get([this] {
      // What the function draws is not of the program's sequence.
      const internal::ElementSeedScope scope({});
      Element element;
      if (!detail::first_element(input(), &element)) return structure();
      return settings_.make(element)->element_spec();
    });
  }
  ElementSpec structure() const override { return ElementSpec(); }
  bool reshuffles() const override { return input().reshuffles(); }
  void save_node(StateWriter& state) const override { seeds_.save(state); }
  void restore_node(StateReader& state) const override {
    seeds_.restore(state);
  }
  std::string parameters() const override {
    return internal::concatenate_text("cycle_length ", settings_.cycle_length,
                                      ", block_length ",
                                      settings_.block_length);
  }

 private:
  int64_t checked(const char* option, int64_t value) const {
    if (value >= 1) return value;
    internal::Message(name())
        .expected(option, " >= 1")
        .got(value)
        .raise<ValueError>();
  }

  mutable PassSeed seeds_{internal::draw_pipeline_seed()};
  detail::CycleSettings settings_;
  mutable detail::LazySpec spec_;
};

}  // namespace

Dataset Dataset::interleave_elements(detail::DatasetFunction function,
                                     const InterleaveOptions& options) const {
  return Dataset(std::make_shared<InterleaveDataset>(
      node(), std::move(function), "interleave", options));
}

Dataset Dataset::flat_map_elements(detail::DatasetFunction function,
                                   const std::string& name) const {
  return Dataset(std::make_shared<InterleaveDataset>(
      node(), std::move(function), "flat_map",
      InterleaveOptions{.cycle_length = 1, .name = name}));
}

}  // namespace systolic::data
