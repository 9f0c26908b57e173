// Where elements come from: the static functions of data::Dataset, which has
// the example.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/data/dataset_base.h"
#include "systolic/data/element.h"
#include "systolic/data/generator.h"
#include "systolic/data/options.h"

namespace systolic::data {

class Dataset;

// Makes data sets: Dataset::range(10).
class DatasetSources {
 public:
  // The one element `tensors`.
  static Dataset from_tensors(Element tensors);
  // One element per index of the first axis of every Array in `tensors`: an
  // Array, pair, tuple or map. Elements are views, nothing is copied.
  // Throws ValueError when an Array is a scalar or first axes differ.
  static Dataset from_tensor_slices(const Element& tensors);
  // The same for the numbers or texts of a list: from_tensor_slices({1, 2}).
  template <class T>
  requires(ArrayElement<T> || std::is_same_v<T, const char*>) static Dataset
      from_tensor_slices(std::initializer_list<T> values);
  // The same for a tuple of `first`, `second`, `more`.
  template <class... More>
  static Dataset from_tensor_slices(Element first, Element second,
                                    More... more);
  // What a function of the user's makes. `generator` is called at the start of
  // each pass and returns a range (a vector, ...) of elements, or a function
  // that returns the next one as a std::optional, which is empty at the end:
  //   from_generator([] {
  //     return [i = 0]() mutable -> std::optional<int> {
  //       return i < 3 ? std::optional(i++) : std::nullopt;
  //     };
  //   });
  // An iterator that is restored runs it again up to its place.
  template <class G>
  static Dataset from_generator(G generator,
                                const GeneratorOptions& options = {});
  // The int64 scalars 0, 1, ... below `stop`.
  static Dataset range(int64_t stop);
  // The int64 scalars start, start + step, ... before `stop`.
  // Throws ValueError for a step of 0.
  static Dataset range(int64_t start, int64_t stop, int64_t step = 1);
  // The int64 scalars start, start + step, ... without end.
  static Dataset counter(int64_t start = 0, int64_t step = 1);
  // Random int64 scalars from 0 to 2^32 - 1 without end.
  static Dataset random(const RandomOptions& options = {});
  // The paths of the files that match a pattern (io::glob: `*`, `**`, `?`,
  // `[a-c]`, `{one,two}`), local or remote, as string scalars. Looks for them
  // here, once. Throws NotFoundError where there are none.
  static Dataset list_files(const std::string& file_pattern,
                            const ListFilesOptions& options = {});
  // The same for the files that match any of the patterns, each once.
  static Dataset list_files(std::initializer_list<std::string> file_patterns,
                            const ListFilesOptions& options = {});
  static Dataset list_files(const std::vector<std::string>& file_patterns,
                            const ListFilesOptions& options = {});
  // Tuples of one element of each data set, as long as the shortest.
  // Throws ValueError for no data set.
  static Dataset zip(std::vector<Dataset> datasets);
  template <class... More>
  static Dataset zip(const Dataset& first, const Dataset& second,
                     const More&... more);
  // Elements of several data sets in random order, by weights.
  // Throws ValueError for weights that are no weights, TypeError when element
  // specs differ in tree, dtype or rank.
  static Dataset sample_from_datasets(std::vector<Dataset> datasets,
                                      const SampleOptions& options = {});
  // Elements of several data sets as `choice_dataset` says: int64 scalars that
  // count from 0. Throws as sample_from_datasets.
  static Dataset choose_from_datasets(std::vector<Dataset> datasets,
                                      const Dataset& choice_dataset,
                                      const ChooseOptions& options = {});
  // What Dataset::save() wrote into the folder `path`. Throws NotFoundError
  // when nothing is there, DataError when it is something else.
  static Dataset load(const std::string& path, const LoadOptions& options = {});

 private:
  static Dataset generated(detail::GeneratorFunction start,
                           ElementSpec structure,
                           const GeneratorOptions& options);
};

}  // namespace systolic::data
