// The data sets of a Kaggle notebook.
//   std::string path = kaggle::KaggleDatasets().get_gcs_path("flowers");
//   auto files = io::glob(path + "/tfrecords-jpeg-331x331/*.tfrec");
#pragma once

#include <string>

namespace systolic::kaggle {

// Where the notebook's files are.
struct KaggleDatasetsOptions {
  // The folder that data sets are mounted in.
  std::string input_folder = "/kaggle/input";
};

// Asks the notebook's service, which KAGGLE_USER_SECRETS_TOKEN opens.
class KaggleDatasets {
 public:
  explicit KaggleDatasets(const KaggleDatasetsOptions& options = {});

  // The path that the data set is read from: its mounted folder where there is
  // one, since every reader here runs on this machine, else its gs:// bucket.
  // Without a name that of the only data set. Throws PermissionDeniedError
  // without the token, StorageError when the service fails.
  std::string get_gcs_path(const std::string& dataset_dir = "") const;

 private:
  KaggleDatasetsOptions options_;
};

}  // namespace systolic::kaggle
