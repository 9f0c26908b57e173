#include "systolic/kaggle/datasets.h"

#include <vector>

#include "systolic/base/user_folders.h"
#include "systolic/io/file_system.h"
#include "systolic/kaggle/web_client.h"

namespace systolic::kaggle {
namespace {

// What the service calls the two uses of a bucket.
constexpr int kAutoMl = 1;
constexpr int kTpu = 2;
// The service may first copy the data set into the bucket.
constexpr double kSeconds = 600;

}  // namespace

KaggleDatasets::KaggleDatasets(const KaggleDatasetsOptions& options)
    : options_(options) {}

std::string KaggleDatasets::get_gcs_path(const std::string& dataset_dir) const {
  const std::string& folder = options_.input_folder;
  if (io::is_dir(folder)) {
    std::string name = dataset_dir;
    if (name.empty()) {
      const std::vector<std::string> all = io::list_directory(folder);
      if (all.size() == 1) name = all[0];
    }
    if (!name.empty() && io::is_dir(io::join_path(folder, name))) {
      return io::join_path(folder, name);
    }
  }
  detail::ServiceRequest request = {
      .who = "get_gcs_path",
      .endpoint = "CopyDatasetVersionToKnownGcsBucketRequest",
      .numbers = {{"IntegrationType",
                   internal::environment("TPU_NAME").empty() ? kAutoMl : kTpu}},
      .wanted = "destinationBucket",
      .timeout = kSeconds};
  if (!dataset_dir.empty()) request.texts = {{"MountSlug", dataset_dir}};
  return detail::ask_service(request);
}

}  // namespace systolic::kaggle
