// Tested by: tests/storage/azure_test.cc
#include "systolic/arrow/azure_place.h"

#include <arrow/util/config.h>

#ifdef ARROW_AZURE
#include <arrow/filesystem/azurefs.h>
#endif

#include <map>

#include "systolic/arrow/errors.h"
#include "systolic/base/user_folders.h"
#include "systolic/io/path.h"

namespace systolic::arrow_module {

std::string azure_environment() {
  return internal::environment("AZURE_STORAGE_CONNECTION_STRING");
}

#ifdef ARROW_AZURE

namespace {

// "Name=value;Name=value"; a value may have = in it.
std::map<std::string, std::string> parse_connection(const std::string& text) {
  std::map<std::string, std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const size_t equals = part.find('=');
    if (equals != std::string::npos) {
      parts[part.substr(0, equals)] = part.substr(equals + 1);
    }
    begin = end + 1;
  }
  return parts;
}

// "http://127.0.0.1:10000/account" as scheme and "127.0.0.1:10000".
void use_endpoint(const std::string& endpoint,
                  arrow::fs::AzureOptions* options) {
  if (endpoint.empty()) return;
  const std::string scheme = io::detail::scheme_of(endpoint);
  std::string host(io::detail::without_scheme(endpoint));
  host = host.substr(0, host.find('/'));
  options->blob_storage_scheme = options->dfs_storage_scheme =
      scheme.empty() ? "https" : scheme;
  // "account.blob.core.windows.net" has the account in front already.
  if (host.starts_with(options->account_name + ".")) {
    host = host.substr(options->account_name.size());
  }
  options->blob_storage_authority = host;
  const size_t blob = host.find(".blob.");
  options->dfs_storage_authority =
      blob == std::string::npos ? host : host.replace(blob, 6, ".dfs.");
}

}  // namespace

std::shared_ptr<arrow::fs::FileSystem> azure_files(const std::string& who,
                                                   const std::string& address,
                                                   const AzureParts& parts) {
  auto options =
      value_of(arrow::fs::AzureOptions::FromUri(address + "/", parts.container),
               who, address);
  auto connection = parse_connection(azure_environment());
  if (connection["AccountName"] == options.account_name) {
    use_endpoint(connection["BlobEndpoint"], &options);
    const std::string& token = connection["SharedAccessSignature"];
    const std::string& key = connection["AccountKey"];
    if (!key.empty()) {
      require_good(options.ConfigureAccountKeyCredential(key), who, address);
    } else if (!token.empty()) {
      require_good(options.ConfigureSASCredential("?" + token), who, address);
    }
  }
  *parts.account = options.AccountBlobUrl(options.account_name);
  return value_of(arrow::fs::AzureFileSystem::Make(options), who, address);
}

#else

std::shared_ptr<arrow::fs::FileSystem> azure_files(const std::string& who,
                                                   const std::string& address,
                                                   const AzureParts& parts) {
  // Which says that this Arrow has no such client.
  return value_of(arrow::fs::FileSystemFromUri(address + "/", parts.container),
                  who, address);
}

#endif

}  // namespace systolic::arrow_module
