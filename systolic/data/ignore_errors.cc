// ignore_errors(): elements whose making throws are left out, and counted.
#include <atomic>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

class IgnoringIterator final : public IteratorBase {
 public:
  IgnoringIterator(const std::string& name, const IgnoreErrorsOptions& options,
                   const IteratorContext& context,
                   std::unique_ptr<IteratorBase> input)
      : name_(name),
        options_(options),
        context_(context),
        input_(std::move(input)) {}
  ~IgnoringIterator() override { report(); }
  IgnoringIterator(const IgnoringIterator&) = delete;
  IgnoringIterator& operator=(const IgnoringIterator&) = delete;

  bool get_next(Element* out) override {
    while (!context_.stop.stop_requested()) {
      try {
        if (input_->get_next(out)) return true;
        report();
        return false;
      } catch (const InternalError&) {
        throw;  // a fault of the library's is no bad element
      } catch (const ResourceExhaustedError&) {
        throw;
      } catch (const std::bad_alloc&) {
        throw;
      } catch (const std::exception& error) {
        if (context_.stop.stop_requested()) return false;  // it was cut off
        count(error.what());
      }
    }
    return false;
  }

  void save(StateWriter& state) override {
    state.begin(name_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(name_);
    input_->restore(state);
  }

 private:
  void count(const std::string& text) {
    if (context_.peek) return;
    if (options_.ignored) options_.ignored->fetch_add(1);
    if (ignored_++ == 0) first_ = text;
    if (options_.log_warning) {
      log(LogLevel::warning, name_ + ": left out: " + text);
    }
  }

  // One line for the pass, where not each had its own.
  void report() noexcept {
    if (ignored_ == 0 || options_.log_warning) return;
    try {
      log(LogLevel::warning,
          name_ + ": left out " + std::to_string(ignored_) +
              (ignored_ == 1 ? " element: " : " elements, first: ") + first_);
    } catch (...) {  // NOLINT: a sink that throws must not end the program
    }
    ignored_ = 0;
  }

  const std::string name_;
  const IgnoreErrorsOptions& options_;
  const IteratorContext context_;
  std::unique_ptr<IteratorBase> input_;
  int64_t ignored_ = 0;  // not reported yet
  std::string first_;
};

class IgnoringDataset final : public TransformBase {
 public:
  IgnoringDataset(std::shared_ptr<const DatasetBase> input,
                  const IgnoreErrorsOptions& options)
      : TransformBase(std::move(input), "ignore_errors", options.name),
        options_(options) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<IgnoringIterator>(name(), options_, context,
                                              input().make_iterator(context));
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    return elements <= 0 ? elements : UNKNOWN_CARDINALITY;
  }

 private:
  const IgnoreErrorsOptions options_;
};

}  // namespace

Dataset Dataset::ignore_errors(const IgnoreErrorsOptions& options) const {
  return Dataset(std::make_shared<IgnoringDataset>(node(), options));
}

}  // namespace systolic::data
