// rejection_resample(): elements left out at random, so that classes occur as
// often as is wanted.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "systolic/base/element_seed.h"
#include "systolic/base/message.h"
#include "systolic/base/philox.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_error.h"
#include "systolic/data/origin_scope.h"
#include "systolic/data/pass_seed.h"

namespace systolic::data {
namespace {

struct ResampleSettings {
  std::string who;
  detail::ElementFunction class_of;
  std::vector<double> target;
  std::vector<double> initial;  // empty: counted on the way
};

class ResampleIterator final : public IteratorBase {
 public:
  ResampleIterator(const ResampleSettings& settings, PassSeed& seeds,
                   const IteratorContext& context,
                   std::unique_ptr<IteratorBase> input)
      : settings_(settings),
        context_(context),
        input_(std::move(input)),
        pass_(context.peek ? PassSeed::Pass() : seeds.begin()),
        // One of each beforehand, so that no class counts as impossible.
        counts_(settings.target.size(), 1) {}

  bool get_next(Element* out) override {
    while (!context_.stop.stop_requested()) {
      Element element;
      const uint64_t index = index_++;
      if (!input_->get_next(&element)) return false;
      Element label = class_of(element, static_cast<int64_t>(index));
      const auto own = static_cast<size_t>(label.to<int64_t>());
      ++counts_[own];
      const double draw = internal::philox(index, pass_.mixed())[0] * 0x1p-32;
      // For the spec any element does.
      if (!context_.peek && draw >= acceptance(own)) continue;
      *out = Element::tuple({std::move(label), std::move(element)});
      return true;
    }
    return false;
  }

  void save(StateWriter& state) override {
    state.begin(settings_.who);
    PassSeed::save(pass_, state);
    state.write_int(static_cast<int64_t>(index_));
    for (int64_t count : counts_) state.write_int(count);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(settings_.who);
    pass_ = PassSeed::restore_pass(state);
    index_ = static_cast<uint64_t>(state.read_int());
    for (int64_t& count : counts_) count = state.read_int();
    input_->restore(state);
  }

 private:
  Element class_of(Element element, int64_t index) const {
    const detail::OriginScope origins(element);
    try {
      const internal::ElementSeedScope scope(
          {pass_.seed, pass_.number, static_cast<uint64_t>(index)});
      Element label = settings_.class_of.call(element);
      const auto value = label.to<int64_t>();
      const auto classes = static_cast<int64_t>(settings_.target.size());
      if (value < 0 || value >= classes) {
        internal::Message("class_func")
            .expected("a class from 0 to ", classes - 1)
            .got(value)
            .raise<ValueError>();
      }
      return label;
    } catch (...) {
      std::rethrow_exception(detail::error_for_element(
          std::current_exception(), settings_.who, index, origins.text()));
    }
  }

  // How likely an element of the class is kept: the rarest of what is wanted
  // always is.
  double acceptance(size_t own) const {
    double largest = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      largest = std::max(largest, ratio(i));
    }
    return largest > 0 ? ratio(own) / largest : 0;
  }
  double ratio(size_t i) const {
    if (settings_.initial.empty()) {
      const auto total = static_cast<double>(
          std::accumulate(counts_.begin(), counts_.end(), int64_t{0}));
      return settings_.target[i] * total / static_cast<double>(counts_[i]);
    }
    return settings_.initial[i] > 0 ? settings_.target[i] / settings_.initial[i]
                                    : 0;
  }

  const ResampleSettings& settings_;
  const IteratorContext context_;
  std::unique_ptr<IteratorBase> input_;
  PassSeed::Pass pass_;
  std::vector<int64_t> counts_;
  uint64_t index_ = 0;
};

class ResampleDataset final : public TransformBase {
 public:
  ResampleDataset(std::shared_ptr<const DatasetBase> input,
                  ResampleSettings settings, const ResampleOptions& options)
      : TransformBase(std::move(input), "rejection_resample", options.name),
        settings_(std::move(settings)),
        is_seeded_(options.seed || internal::has_random_seed()),
        seeds_(options.seed ? static_cast<uint64_t>(*options.seed)
                            : internal::draw_pipeline_seed()) {
    settings_.who = name();
    detail::check_parameters(settings_.who, settings_.class_of.parameters,
                             this->input().structure());
    check("target_dist", settings_.target);
    if (settings_.initial.empty()) return;
    check("initial_dist", settings_.initial);
    if (settings_.initial.size() == settings_.target.size()) return;
    internal::Message(settings_.who)
        .expected("initial_dist of as many classes as target_dist: ",
                  settings_.target.size())
        .got(settings_.initial.size())
        .raise<ValueError>();
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    context.require_one_order(name(), is_seeded_);
    return std::make_unique<ResampleIterator>(settings_, seeds_, context,
                                              input().make_iterator(context));
  }
  // Which elements are left out is random.
  bool has_own_order() const override {
    return !is_seeded_ || input().has_own_order();
  }
  void save_node(StateWriter& state) const override { seeds_.save(state); }
  void restore_node(StateReader& state) const override {
    seeds_.restore(state);
  }
  int64_t cardinality() const override {
    return input().cardinality() == 0 ? 0 : UNKNOWN_CARDINALITY;
  }
  ElementSpec element_spec() const override {
    return with_class(input().element_spec());
  }
  ElementSpec structure() const override {
    return with_class(input().structure());
  }
  std::string parameters() const override {
    return internal::concatenate_text("target_dist ",
                                      Array::from(settings_.target));
  }

 private:
  ElementSpec with_class(const ElementSpec& spec) const {
    return ElementSpec::tuple({settings_.class_of.result, spec});
  }

  void check(const char* what, const std::vector<double>& shares) const {
    double total = 0;
    bool valid = !shares.empty();
    for (double share : shares) {
      valid = valid && share >= 0;
      total += share;
    }
    if (valid && std::abs(total - 1) < 1e-3) return;
    internal::Message(settings_.who)
        .expected(what, " to hold shares >= 0 that add up to 1")
        .got(shares.empty() ? "none" : Array::from(shares).to_string())
        .raise<ValueError>();
  }

  ResampleSettings settings_;
  const bool is_seeded_;
  mutable PassSeed seeds_;
};

}  // namespace

Dataset Dataset::resample_elements(detail::ElementFunction class_func,
                                   std::vector<double> target_dist,
                                   const ResampleOptions& options) const {
  ResampleSettings settings{"", std::move(class_func), std::move(target_dist),
                            options.initial_dist};
  return Dataset(
      std::make_shared<ResampleDataset>(node(), std::move(settings), options));
}

}  // namespace systolic::data
