// sample_from_datasets() and choose_from_datasets(): elements of several data
// sets, drawn by weights or chosen by another data set.
#include <algorithm>
#include <cmath>
#include <utility>

#include "systolic/base/element_seed.h"
#include "systolic/base/message.h"
#include "systolic/base/philox.h"
#include "systolic/base/seed.h"
#include "systolic/data/cardinality.h"
#include "systolic/data/dataset.h"
#include "systolic/data/pass_seed.h"

namespace systolic::data {
namespace {

// Says which data set is next.
class Chooser {
 public:
  virtual ~Chooser() = default;
  // Puts the next choice among those that `open` names into `*choice`, or
  // returns false where there are no more.
  virtual bool next(const std::vector<bool>& open, size_t* choice) = 0;
  virtual void save(StateWriter& state) = 0;
  virtual void restore(StateReader& state) = 0;
};

// Draws by weights.
class Sampler final : public Chooser {
 public:
  Sampler(const std::vector<double>& weights, uint64_t key)
      : weights_(weights), key_(key) {}

  bool next(const std::vector<bool>& open, size_t* choice) override {
    double total = 0;
    for (size_t i = 0; i < open.size(); ++i) {
      if (open[i]) total += weights_[i];
    }
    if (total <= 0) return false;
    double rest = internal::philox(draws_++, key_)[0] * 0x1p-32 * total;
    for (size_t i = 0; i < open.size(); ++i) {
      if (!open[i] || weights_[i] <= 0) continue;
      *choice = i;  // the last one, where rounding leaves a rest
      rest -= weights_[i];
      if (rest < 0) break;
    }
    return true;
  }
  void save(StateWriter& state) override {
    state.write_int(static_cast<int64_t>(key_));
    state.write_int(static_cast<int64_t>(draws_));
  }
  void restore(StateReader& state) override {
    key_ = static_cast<uint64_t>(state.read_int());
    draws_ = static_cast<uint64_t>(state.read_int());
  }

 private:
  const std::vector<double>& weights_;
  uint64_t key_;
  uint64_t draws_ = 0;
};

// Reads choices from a data set.
class Choices final : public Chooser {
 public:
  Choices(size_t count, std::unique_ptr<IteratorBase> choices)
      : count_(count), choices_(std::move(choices)) {}

  bool next(const std::vector<bool>&, size_t* choice) override {
    Element element;
    if (!choices_->get_next(&element)) return false;
    const auto value = element.to<int64_t>();
    if (value < 0 || static_cast<size_t>(value) >= count_) {
      internal::Message("choose_from_datasets")
          .expected("choices from 0 to ", count_ - 1)
          .got(value)
          .raise<ValueError>();
    }
    *choice = static_cast<size_t>(value);
    return true;
  }
  void save(StateWriter& state) override { choices_->save(state); }
  void restore(StateReader& state) override { choices_->restore(state); }

 private:
  const size_t count_;
  std::unique_ptr<IteratorBase> choices_;
};

class ChosenIterator final : public IteratorBase {
 public:
  ChosenIterator(const std::string& name, bool stop_on_empty,
                 const IteratorContext& context,
                 std::unique_ptr<Chooser> chooser,
                 std::vector<std::unique_ptr<IteratorBase>> inputs)
      : name_(name),
        stop_on_empty_(stop_on_empty),
        stop_(context.stop),
        chooser_(std::move(chooser)),
        inputs_(std::move(inputs)),
        open_(inputs_.size(), true) {}

  bool get_next(Element* out) override {
    while (!ended_ && !stop_.stop_requested()) {
      size_t choice = 0;
      if (!chooser_->next(open_, &choice)) {
        ended_ = true;
        return false;
      }
      if (!open_[choice]) continue;
      if (inputs_[choice]->get_next(out)) return true;
      if (stop_.stop_requested()) return false;
      open_[choice] = false;
      ended_ = stop_on_empty_ ||
               std::find(open_.begin(), open_.end(), true) == open_.end();
    }
    return false;
  }

  void save(StateWriter& state) override {
    state.begin(name_);
    state.write_bool(ended_);
    chooser_->save(state);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      state.write_bool(open_[i]);
      inputs_[i]->save(state);
    }
  }
  void restore(StateReader& state) override {
    state.expect(name_);
    ended_ = state.read_bool();
    chooser_->restore(state);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      open_[i] = state.read_bool();
      inputs_[i]->restore(state);
    }
  }

 private:
  const std::string name_;
  const bool stop_on_empty_;
  const std::stop_token stop_;
  std::unique_ptr<Chooser> chooser_;
  std::vector<std::unique_ptr<IteratorBase>> inputs_;
  std::vector<bool> open_;
  bool ended_ = false;
};

class ChosenDataset : public DatasetBase {
 public:
  ChosenDataset(const std::string& kind, std::vector<Dataset> datasets,
                bool stop_on_empty, const std::string& name)
      : name_(detail::node_name(kind, name)),
        stop_on_empty_(stop_on_empty),
        datasets_(std::move(datasets)) {
    if (datasets_.empty()) {
      internal::Message(name_)
          .expected("at least one data set")
          .got("none")
          .raise<ValueError>();
    }
    structure();  // throws where they differ
  }

  std::string name() const final { return name_; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const final {
    std::vector<std::unique_ptr<IteratorBase>> iterators;
    for (const Dataset& input : datasets_) {
      iterators.push_back(input.node()->make_iterator(context));
    }
    return std::make_unique<ChosenIterator>(name_, stop_on_empty_, context,
                                            make_chooser(context),
                                            std::move(iterators));
  }
  int64_t cardinality() const override {
    int64_t sum = 0;
    bool can_end = false;
    for (size_t i = 0; i < datasets_.size(); ++i) {
      if (!is_chosen(i)) continue;
      const int64_t count = datasets_[i].cardinality();
      can_end = can_end || count != INFINITE_CARDINALITY;
      sum = detail::add_cardinality(sum, count);
    }
    return stop_on_empty_ && can_end ? UNKNOWN_CARDINALITY : sum;
  }
  std::vector<const DatasetBase*> inputs() const override {
    std::vector<const DatasetBase*> nodes;
    for (const Dataset& input : datasets_) nodes.push_back(input.node().get());
    return nodes;
  }
  ElementSpec element_spec() const final {
    return merged([](const Dataset& d) { return d.element_spec(); });
  }
  ElementSpec structure() const final {
    return merged([](const Dataset& d) { return d.node()->structure(); });
  }

 protected:
  const std::vector<Dataset>& datasets() const { return datasets_; }
  // Whether the data set is ever read.
  virtual bool is_chosen(size_t /*index*/) const { return true; }
  virtual std::unique_ptr<Chooser> make_chooser(
      const IteratorContext& context) const = 0;

 private:
  template <class SpecOf>
  ElementSpec merged(const SpecOf& spec_of) const {
    ElementSpec all = spec_of(datasets_[0]);
    for (const Dataset& input : datasets_) {
      std::optional<ElementSpec> both = all.merged_with(spec_of(input));
      if (!both) throw_differ(all, spec_of(input));
      all = *std::move(both);
    }
    return all;
  }

  [[noreturn]] void throw_differ(const ElementSpec& a,
                                 const ElementSpec& b) const {
    internal::Message(name_)
        .expected(
            "data sets whose elements have the same tree, dtypes and ranks")
        .got(a, " and ", b)
        .raise<TypeError>();
  }

  const std::string name_;
  const bool stop_on_empty_;
  const std::vector<Dataset> datasets_;
};

class SampledDataset final : public ChosenDataset {
 public:
  SampledDataset(std::vector<Dataset> inputs, const SampleOptions& options)
      : ChosenDataset("sample_from_datasets", std::move(inputs),
                      options.stop_on_empty_dataset, options.name),
        weights_(options.weights),
        rerandomize_(options.rerandomize_each_iteration),
        is_seeded_(options.seed || internal::has_random_seed()),
        seeds_(options.seed ? static_cast<uint64_t>(*options.seed)
                            : internal::draw_seed(),
               rerandomize_) {
    if (weights_.empty()) weights_.assign(datasets().size(), 1.);
    double total = 0;
    bool valid = weights_.size() == datasets().size();
    for (double weight : weights_) {
      valid = valid && weight >= 0 && std::isfinite(weight);
      total += weight;
    }
    if (valid && total > 0) return;
    internal::Message(name())
        .expected("a weight >= 0 for each of the ", datasets().size(),
                  " data sets, not all 0")
        .got(Array::from(weights_).to_string())
        .raise<ValueError>();
  }

  bool reshuffles() const override { return rerandomize_; }
  bool has_own_order() const override {
    return !is_seeded_ || ChosenDataset::has_own_order();
  }
  void save_node(StateWriter& state) const override { seeds_.save(state); }
  void restore_node(StateReader& state) const override {
    seeds_.restore(state);
  }
  std::string parameters() const override {
    return internal::concatenate_text("weights ", Array::from(weights_));
  }

 private:
  std::unique_ptr<Chooser> make_chooser(
      const IteratorContext& context) const override {
    context.require_one_order(name(), is_seeded_);
    const PassSeed::Pass pass =
        context.peek ? PassSeed::Pass() : seeds_.begin();
    return std::make_unique<Sampler>(weights_, pass.mixed());
  }
  bool is_chosen(size_t index) const override { return weights_[index] > 0; }

  std::vector<double> weights_;
  const bool rerandomize_;
  const bool is_seeded_;
  mutable PassSeed seeds_;
};

class ChoiceDataset final : public ChosenDataset {
 public:
  ChoiceDataset(std::vector<Dataset> inputs, Dataset choices,
                const ChooseOptions& options)
      : ChosenDataset("choose_from_datasets", std::move(inputs),
                      options.stop_on_empty_dataset, options.name),
        choices_(std::move(choices)) {}

  int64_t cardinality() const override { return UNKNOWN_CARDINALITY; }
  std::vector<const DatasetBase*> inputs() const override {
    std::vector<const DatasetBase*> nodes = ChosenDataset::inputs();
    nodes.push_back(choices_.node().get());
    return nodes;
  }

 private:
  std::unique_ptr<Chooser> make_chooser(
      const IteratorContext& context) const override {
    return std::make_unique<Choices>(datasets().size(),
                                     choices_.node()->make_iterator(context));
  }

  const Dataset choices_;
};

}  // namespace

Dataset DatasetSources::sample_from_datasets(std::vector<Dataset> datasets,
                                             const SampleOptions& options) {
  return Dataset(
      std::make_shared<SampledDataset>(std::move(datasets), options));
}

Dataset DatasetSources::choose_from_datasets(std::vector<Dataset> datasets,
                                             const Dataset& choice_dataset,
                                             const ChooseOptions& options) {
  return Dataset(std::make_shared<ChoiceDataset>(std::move(datasets),
                                                 choice_dataset, options));
}

}  // namespace systolic::data
