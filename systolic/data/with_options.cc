// with_options(): options of the whole pipeline.
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

class OptionsDataset final : public TransformBase {
 public:
  OptionsDataset(std::shared_ptr<const DatasetBase> input,
                 const Options& options)
      : TransformBase(std::move(input), "with_options"), options_(options) {
    require_positive("threading.private_threadpool_size",
                     options.threading.private_threadpool_size);
    require_positive("autotune.cpu_budget", options.autotune.cpu_budget);
    require_positive("autotune.ram_budget", options.autotune.ram_budget);
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return input().make_iterator(context);
  }
  bool reshuffles() const override { return input().reshuffles(); }
  std::optional<std::string> element_parameters() const override { return {}; }
  bool works_ahead() const override { return input().works_ahead(); }
  Options options() const override {
    return options_.merged_over(input().options());
  }

 private:
  void require_positive(const char* option,
                        std::optional<int64_t> value) const {
    if (value.value_or(1) >= 1) return;
    internal::Message(name())
        .expected(option, " >= 1")
        .got(*value)
        .raise<ValueError>();
  }

  const Options options_;
};

}  // namespace

Dataset Dataset::with_options(const Options& options) const {
  return Dataset(std::make_shared<OptionsDataset>(node(), options));
}

}  // namespace systolic::data
