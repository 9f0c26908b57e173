// The service behind a Kaggle notebook.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace systolic::kaggle::detail {

// What is asked.
struct ServiceRequest {
  std::string who;       // for errors
  std::string endpoint;  // such as "GetUserSecretRequest"
  std::vector<std::pair<std::string, std::string>> texts = {};
  std::vector<std::pair<std::string, int>> numbers = {};
  std::string wanted;  // the field of the result
  double timeout = 40;
};

// Asks the service at KAGGLE_URL_BASE (kaggle.com where it is not set) and
// returns the wanted text. Throws PermissionDeniedError or StorageError.
std::string ask_service(const ServiceRequest& request);

}  // namespace systolic::kaggle::detail
