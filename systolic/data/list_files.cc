// list_files(): the paths that match a pattern.
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/auto_shard.h"
#include "systolic/data/dataset.h"
#include "systolic/io/file_system.h"

namespace systolic::data {
Dataset DatasetSources::list_files(const std::string& file_pattern,
                                   const ListFilesOptions& options) {
  return list_files(std::vector<std::string>{file_pattern}, options);
}

Dataset DatasetSources::list_files(
    std::initializer_list<std::string> file_patterns,
    const ListFilesOptions& options) {
  return list_files(std::vector<std::string>(file_patterns), options);
}

Dataset DatasetSources::list_files(
    const std::vector<std::string>& file_patterns,
    const ListFilesOptions& options) {
  std::vector<std::string> paths = io::glob(file_patterns);
  if (paths.empty()) {
    std::string text;
    for (const std::string& pattern : file_patterns) {
      text += (text.empty() ? "\"" : ", \"") + pattern + "\"";
    }
    internal::Message("list_files")
        .expected("files that match ", text.empty() ? "a pattern" : text)
        .got("none")
        .hint(
            "`*` stops at a slash, `**` does not; quote a pattern that a "
            "shell would expand")
        .raise<NotFoundError>();
  }
  const auto count = static_cast<int64_t>(paths.size());
  const Dataset names =
      from_tensor_slices(Element(Array::from_strings(std::move(paths))));
  const Dataset sorted(detail::shared_files(names.node(), "list_files"));
  if (!options.shuffle) return sorted;
  return sorted.shuffle(count, {.seed = options.seed, .name = options.name});
}

}  // namespace systolic::data
