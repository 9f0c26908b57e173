#include "systolic/datasets/load.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include "systolic/array/arrays.h"
#include "systolic/base/message.h"
#include "systolic/datasets/cifar.h"
#include "systolic/datasets/fashion_mnist.h"
#include "systolic/datasets/flowers.h"
#include "systolic/datasets/mnist.h"
#include "systolic/datasets/sources.h"

namespace systolic::datasets {
namespace detail {

namespace {

[[noreturn]] void throw_split(const std::string& text,
                              const std::map<std::string, int64_t>& sizes) {
  std::string names;
  for (const auto& [name, size] : sizes) {
    names += (names.empty() ? "" : ", ") + name;
  }
  internal::Message("datasets::load")
      .expected("split to be one of ", names,
                ", or a part such as \"train[:80%]\"")
      .got("\"", text, "\"")
      .raise<ValueError>();
}

// One bound of a slice: "", "100", "-10%".
int64_t bound_of(std::string_view text, int64_t size, int64_t absent,
                 const std::function<void()>& fail) {
  if (text.empty()) return absent;
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail();
  if (percent) {
    value = std::llround(static_cast<double>(size) *
                         static_cast<double>(value) / 100);
  }
  if (value < 0) value += size;
  return std::clamp<int64_t>(value, 0, size);
}

}  // namespace

std::vector<SplitPart> parse_split(
    const std::string& text, const std::map<std::string, int64_t>& sizes) {
  std::vector<SplitPart> parts;
  const auto fail = [&] { throw_split(text, sizes); };
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t plus = std::min(text.find('+', begin), text.size());
    const std::string_view part(text.data() + begin, plus - begin);
    begin = plus + 1;
    const size_t bracket = std::min(part.find('['), part.size());
    const std::string name(part.substr(0, bracket));
    const auto found = sizes.find(name);
    if (found == sizes.end()) fail();
    SplitPart result{name, 0, found->second};
    if (bracket < part.size()) {
      const std::string_view slice = part.substr(bracket + 1);
      const size_t colon = slice.find(':');
      if (!slice.ends_with(']') || colon == std::string_view::npos) fail();
      result.begin = bound_of(slice.substr(0, colon), found->second, 0, fail);
      result.end = bound_of(slice.substr(colon + 1, slice.size() - colon - 2),
                            found->second, found->second, fail);
      result.end = std::max(result.begin, result.end);
    }
    parts.push_back(std::move(result));
  }
  return parts;
}

}  // namespace detail

namespace {

struct Named {
  const char* name;
  int64_t size;  // pixels a side
  std::pair<mnist::Part, mnist::Part> (*load)(
      const std::vector<detail::SourceFile>& sources,
      const detail::Places& places);
  std::vector<std::string> class_names;
};

std::vector<std::string> numbers(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

const std::vector<Named>& in_memory() {
  static const std::vector<Named> all{
      {"mnist", 28, detail::load_mnist, numbers(10)},
      {"fashion_mnist",
       28,
       detail::load_mnist,
       {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal",
        "Shirt", "Sneaker", "Bag", "Ankle boot"}},
      {"cifar10",
       32,
       detail::load_cifar10,
       {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse",
        "ship", "truck"}},
      {"cifar100", 32,
       [](const auto& sources, const auto& places) {
         return detail::load_cifar100(sources, places, {});
       },
       cifar100::class_names()}};
  return all;
}

// Tuples or dicts of an image with channels and an int64 label.
data::Dataset finished(const data::Dataset& pairs, bool as_supervised) {
  if (as_supervised) return pairs;
  return pairs.map([](const Array& image, const Array& label) {
    return data::Element::dict({{"image", image}, {"label", label}});
  });
}

// Throws that the data set does not have the option.
[[noreturn]] void throw_option(const std::string& option,
                               const std::string& name, const std::string& rule,
                               const std::string& got, const char* hint) {
  internal::Message("datasets::load")
      .expected(option, " of \"", name, "\" to be ", rule)
      .got(got)
      .hint(hint)
      .raise<ValueError>();
}

constexpr const char* kNotInGcs = "false: it has no copy in Google's storage";

// Throws for options that the data set does not have.
void check_in_memory(const Named& named, const LoadOptions& options,
                     const std::vector<detail::SourceFile>& sources) {
  const char* const kFlowers = "leave it out: it is an option of flowers";
  if (options.size != LoadOptions().size && options.size != named.size) {
    throw_option("size", named.name, std::to_string(named.size),
                 std::to_string(options.size), kFlowers);
  }
  const auto classes = static_cast<int>(named.class_names.size());
  if (options.classes != LoadOptions().classes && options.classes != classes) {
    throw_option("classes", named.name, std::to_string(classes),
                 std::to_string(options.classes), kFlowers);
  }
  if (options.data_dir.find("://") != std::string::npos) {
    throw_option("data_dir", named.name, "a folder of this machine",
                 '"' + options.data_dir + '"',
                 "leave it out: what is fetched is kept in the cache");
  }
  const bool in_gcs = std::ranges::any_of(
      sources.front().addresses, [](const std::string& address) {
        return address.starts_with("https://storage.googleapis.com/");
      });
  if (options.try_gcs && !in_gcs) {
    throw_option("try_gcs", named.name, kNotInGcs, "true",
                 "leave it out: it is fetched from its authors' address");
  }
}

LoadedDataset load_in_memory(const Named& named, const LoadOptions& options) {
  const std::vector<detail::SourceFile> sources =
      detail::source_files(named.name);
  check_in_memory(named, options, sources);
  detail::Places places = detail::default_places();
  if (!options.data_dir.empty()) places.cache = options.data_dir;
  auto [train, test] = named.load(sources, places);
  const std::map<std::string, int64_t> sizes{{"train", train.first.shape()[0]},
                                             {"test", test.first.shape()[0]}};
  std::vector<Array> images, labels;
  for (const detail::SplitPart& part :
       detail::parse_split(options.split, sizes)) {
    const mnist::Part& whole = part.split == "train" ? train : test;
    images.push_back(whole.first[Slice(part.begin, part.end)]);
    labels.push_back(whole.second[Slice(part.begin, part.end)]);
  }
  Array pictures = concatenate(images);
  if (pictures.rank() == 3) pictures = expand_dims(pictures, -1);
  const Array classes = cast<int64_t>(concatenate(labels)).reshaped({-1});
  return {finished(data::Dataset::from_tensor_slices(pictures, classes),
                   options.as_supervised),
          {named.name, sizes, named.class_names}};
}

// Elements of the splits that `text` names a part of are counted, others not.
std::map<std::string, int64_t> flower_counts(const std::string& text,
                                             flowers::Options options) {
  std::map<std::string, int64_t> sizes{{"train", -1}, {"validation", -1}};
  if (options.classes == 104) {
    sizes = {{"train", -1}, {"val", -1}, {"test", -1}};
  }
  if (text.find_first_of("[+") == std::string::npos) return sizes;
  std::map<std::string, int64_t> any = sizes;  // while only names matter
  for (auto& [name, size] : any) size = 1;
  for (const detail::SplitPart& part : detail::parse_split(text, any)) {
    options.split = part.split;
    if (sizes[part.split] < 0) sizes[part.split] = flowers::count(options);
  }
  return sizes;
}

LoadedDataset load_flowers(const LoadOptions& options) {
  if (options.try_gcs && options.classes == 104) {
    throw_option("try_gcs", "flowers", kNotInGcs, "true with 104 classes",
                 "data_dir may be a gs:// folder of one's own");
  }
  flowers::Options chosen{.size = options.size,
                          .classes = options.classes,
                          .split = options.split,
                          .data_dir = options.data_dir};
  const std::vector<std::string> names = flowers::class_names(options.classes);
  const std::map<std::string, int64_t> sizes =
      flower_counts(options.split, chosen);
  if (options.split.empty()) {
    return {finished(flowers::load_data(chosen), options.as_supervised),
            {"flowers", sizes, names}};
  }
  std::optional<data::Dataset> all;
  for (const detail::SplitPart& part :
       detail::parse_split(options.split, sizes)) {
    chosen.split = part.split;
    const data::Dataset each =
        part.end < 0 ? flowers::load_data(chosen)
                     : detail::flowers_between(chosen, part.begin, part.end);
    all = all ? all->concatenate(each) : each;
  }
  return {finished(*all, options.as_supervised), {"flowers", sizes, names}};
}

}  // namespace

std::vector<std::string> list_datasets() {
  std::vector<std::string> names{"flowers"};
  for (const Named& each : in_memory()) names.emplace_back(each.name);
  std::ranges::sort(names);
  return names;
}

LoadedDataset load(const std::string& name, const LoadOptions& options) {
  for (const Named& each : in_memory()) {
    if (each.name == name) return load_in_memory(each, options);
  }
  if (name == "flowers") return load_flowers(options);
  std::string names;
  for (const std::string& each : list_datasets()) {
    names += (names.empty() ? "" : ", ") + each;
  }
  internal::Message("datasets::load")
      .expected("the name of a data set: ", names)
      .got("\"", name, "\"")
      .raise<ValueError>();
}

}  // namespace systolic::datasets
