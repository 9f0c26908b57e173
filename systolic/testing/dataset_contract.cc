#include "systolic/testing/dataset_contract.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "systolic/base/error.h"

namespace systolic::testing {
namespace {

using data::Dataset;
using data::Element;
using Transform = std::function<Dataset(Dataset)>;

// How much of a data set without end is read.
constexpr size_t kMost = 500;

std::vector<Element> read(data::Iterator iterator) {
  std::vector<Element> elements;
  Element element;
  while (elements.size() < kMost && iterator.get_next(&element)) {
    elements.push_back(element);
  }
  return elements;
}

std::vector<Element> read(const Dataset& dataset) {
  return read(dataset.iterator());
}

bool equal(const std::vector<Element>& a, const std::vector<Element>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!data::element_equal(a[i], b[i])) return false;
  }
  return true;
}

bool equal_in_any_order(const std::vector<Element>& a,
                        const std::vector<Element>& b) {
  std::map<std::string, int> count;
  for (const Element& element : a) ++count[element.to_string()];
  for (const Element& element : b) --count[element.to_string()];
  for (const auto& [text, difference] : count) {
    if (difference != 0) return false;
  }
  return true;
}

// Collects what failed.
class Checks {
 public:
  Checks(const Transform& transform, const DatasetContract& contract)
      : transform_(transform),
        contract_(contract),
        input_(contract.input.value_or(Dataset::range(40))) {}

  std::string run() {
    check("cardinality", [this] { check_cardinality(); });
    check("element_spec", [this] { check_spec(); });
    check("order", [this] { check_order(); });
    check("two passes at a time", [this] { check_two_passes(); });
    check("lifetime", [this] { check_lifetime(); });
    check("early stop", [this] { check_early_stop(); });
    if (contract_.passes_errors) check("errors", [this] { check_errors(); });
    return failures_;
  }

 private:
  void fail(const std::string& text) {
    failures_ += current_ + ": " + text + "\n";
  }

  void check(const std::string& name, const std::function<void()>& body) {
    current_ = name;
    try {
      body();
    } catch (const std::exception& error) {
      fail(std::string("threw ") + error.what());
    }
  }

  Dataset build() const { return transform_(input_); }

  void check_cardinality() {
    const Dataset dataset = build();
    const int64_t claimed = dataset.cardinality();
    const int64_t read_length = static_cast<int64_t>(read(dataset).size());
    if (claimed == data::INFINITE_CARDINALITY) {
      if (read_length < static_cast<int64_t>(kMost)) {
        fail("claimed to be infinite, ended after " +
             std::to_string(read_length));
      }
    } else if (claimed != data::UNKNOWN_CARDINALITY && claimed != read_length) {
      fail("claimed " + std::to_string(claimed) + " elements, gave " +
           std::to_string(read_length));
    }
    if (contract_.length && *contract_.length != read_length) {
      fail("expected " + std::to_string(*contract_.length) + " elements, got " +
           std::to_string(read_length));
    }
    Element element;
    data::Iterator iterator = dataset.iterator();
    for (size_t i = 0; i < kMost && iterator.get_next(&element); ++i) {
    }
    if (claimed != data::INFINITE_CARDINALITY && iterator.get_next(&element)) {
      fail("gave an element behind the end");
    }
  }

  void check_spec() {
    const Dataset dataset = build();
    const data::ElementSpec spec = dataset.element_spec();
    const data::ElementSpec structure = dataset.node()->structure();
    for (const Element& element : read(dataset)) {
      if (!element.spec().is_compatible_with(spec)) {
        return fail("claimed " + spec.to_string() + ", gave " +
                    element.spec().to_string());
      }
      if (!element.spec().is_compatible_with(structure)) {
        return fail("claimed the structure " + structure.to_string() +
                    ", gave " + element.spec().to_string());
      }
    }
  }

  void check_order() {
    const Dataset dataset = build();
    const std::vector<Element> first = read(dataset);
    const std::vector<Element> second = read(dataset);
    const std::vector<Element> rebuilt = read(build());
    const bool infinite = dataset.cardinality() == data::INFINITE_CARDINALITY;
    if (first.size() != second.size()) {
      fail("the first pass gave " + std::to_string(first.size()) +
           " elements, the second " + std::to_string(second.size()));
    } else if (contract_.same_in_each_pass) {
      if (!equal(first, second)) fail("two passes differ");
    } else if (!infinite && !equal_in_any_order(first, second)) {
      fail("two passes have different elements");
    }
    if (contract_.same_in_each_build && !equal(first, rebuilt)) {
      fail("two builds differ");
    }
  }

  void check_two_passes() {
    const Dataset dataset = build();
    data::Iterator a = dataset.iterator();
    data::Iterator b = dataset.iterator();
    std::vector<Element> from_a;
    std::vector<Element> from_b;
    Element element;
    bool more = true;
    while (more && from_a.size() < kMost) {
      more = false;
      if (a.get_next(&element)) {
        from_a.push_back(element);
        more = true;
      }
      if (b.get_next(&element)) {
        from_b.push_back(element);
        more = true;
      }
    }
    if (from_a.size() != from_b.size()) {
      fail("gave " + std::to_string(from_a.size()) + " and " +
           std::to_string(from_b.size()) + " elements");
    } else if (contract_.same_in_each_pass && !equal(from_a, from_b)) {
      fail("they differ");
    }
  }

  void check_lifetime() {
    data::Iterator iterator = build().iterator();  // the handle is gone
    read(std::move(iterator));
  }

  void check_early_stop() {
    const int64_t before = process_threads();
    for (size_t count : {0, 1, 3, 7}) {
      const Dataset dataset = build();
      for (int round = 0; round < 5; ++round) {
        data::Iterator iterator = dataset.iterator();
        Element element;
        for (size_t i = 0; i < count && iterator.get_next(&element); ++i) {
        }
      }
      if (!threads_come_down_to(before)) {
        return fail(std::to_string(process_threads() - before) +
                    " threads are left behind a pass of " +
                    std::to_string(count) + " elements");
      }
    }
  }

  void check_errors() {
    auto seen = std::make_shared<std::atomic<int>>(0);
    const Dataset failing = input_.map([seen](Element element) {
      if ((*seen)++ == 17) throw std::runtime_error("seventeen");
      return element;
    });
    data::Iterator iterator = transform_(failing).iterator();
    int errors = 0;
    Element element;
    for (size_t i = 0; i < kMost; ++i) {
      try {
        if (!iterator.get_next(&element)) break;
      } catch (const DataError& error) {
        ++errors;
        const std::string_view text = error.what();
        if (text.find("map (element 17): seventeen") ==
            std::string_view::npos) {
          fail("the text is: " + std::string(text));
        }
      }
    }
    if (errors != 1) {
      fail("an exception upstream was seen " + std::to_string(errors) +
           " times");
    }
  }

  const Transform& transform_;
  const DatasetContract& contract_;
  const Dataset input_;
  std::string current_;
  std::string failures_;
};

}  // namespace

std::string dataset_contract(const Transform& transform,
                             const DatasetContract& contract) {
  return Checks(transform, contract).run();
}

int64_t process_threads() {
  // ThreadSanitizer starts a thread of its own beside a program's first one:
  // that one is among those counted from the first call on.
  static std::once_flag once;
  std::call_once(once, [] { std::thread([] {}).join(); });
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

bool threads_come_down_to(int64_t count) {
  // Looks are counted, no time: a machine may be held up.
  for (int looks = 0; looks < 2000; ++looks) {
    if (process_threads() <= count) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace systolic::testing
