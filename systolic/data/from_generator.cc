// from_generator(): elements that a function of the user's makes.
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_error.h"
#include "systolic/data/first_element.h"

namespace systolic::data {
namespace {

class GeneratorIterator final : public IteratorBase {
 public:
  GeneratorIterator(const std::string& name,
                    const detail::GeneratorFunction& start,
                    const ElementSpec& signature, const std::stop_token& stop)
      : name_(name), start_(start), signature_(signature), stop_(stop) {}

  bool get_next(Element* out) override {
    if (ended_) return false;
    const int64_t index = given_++;
    try {
      if (!next_) {
        ended_ = true;  // what cannot start is not started for ever
        next_ = start_();
        ended_ = false;
      }
      ended_ = !next_(out);
      if (!ended_) check(*out);
    } catch (...) {
      std::rethrow_exception(
          detail::error_for_element(std::current_exception(), name_, index));
    }
    return !ended_;
  }

  void save(StateWriter& state) override {
    state.begin(name_);
    state.write_int(given_);
    state.write_bool(ended_);
  }
  // The generator's own state is the user's: it is run again up to the place.
  void restore(StateReader& state) override {
    state.expect(name_);
    given_ = state.read_int();
    ended_ = state.read_bool();
    if (given_ == 0 || ended_) return;
    next_ = start_();
    Element skipped;
    for (int64_t i = 0; i < given_ && !stop_.stop_requested(); ++i) {
      try {
        next_(&skipped);
      } catch (...) {  // NOLINT: it was thrown and seen the first time
      }
    }
  }

 private:
  void check(const Element& element) const {
    const ElementSpec spec = element.spec();
    if (spec.is_compatible_with(signature_)) return;
    internal::Message("output_signature")
        .expected("elements of ", signature_)
        .got(spec)
        .raise<TypeError>();
  }

  const std::string name_;
  const detail::GeneratorFunction& start_;
  const ElementSpec& signature_;
  const std::stop_token stop_;
  detail::NextFunction next_;
  int64_t given_ = 0;
  bool ended_ = false;
};

class GeneratorDataset final : public DatasetBase {
 public:
  GeneratorDataset(detail::GeneratorFunction start, ElementSpec structure,
                   const GeneratorOptions& options)
      : name_(detail::node_name("from_generator", options.name)),
        start_(std::move(start)),
        structure_(std::move(structure)),
        signature_(options.output_signature) {}

  std::string name() const override { return name_; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<GeneratorIterator>(name_, start_, signature_,
                                               context.stop);
  }
  int64_t cardinality() const override { return UNKNOWN_CARDINALITY; }
  ElementSpec element_spec() const override {
    if (signature_.is_complete()) return signature_;
    return spec_.of_first(*this, structure());
  }
  ElementSpec structure() const override {
    return signature_.kind() == ElementKind::unknown ? structure_ : signature_;
  }

 private:
  const std::string name_;
  const detail::GeneratorFunction start_;
  const ElementSpec structure_;
  const ElementSpec signature_;
  mutable detail::LazySpec spec_;
};

}  // namespace

Dataset DatasetSources::generated(detail::GeneratorFunction start,
                                  ElementSpec structure,
                                  const GeneratorOptions& options) {
  return Dataset(std::make_shared<GeneratorDataset>(
      std::move(start), std::move(structure), options));
}

}  // namespace systolic::data
