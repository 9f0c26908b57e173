// Microsoft's storage, or what speaks as it does.
#pragma once

#include <arrow/filesystem/filesystem.h>

#include <memory>
#include <string>

namespace systolic::arrow_module {

// What is found out of an address.
struct AzureParts {
  std::string* container;
  std::string* account;  // its URL, whatever the address calls it
};

// The file system of "abfs://container@account.dfs.core.windows.net". The key,
// the token and the endpoint are those of AZURE_STORAGE_CONNECTION_STRING where
// that is of the account; else who asks is found as Microsoft's own client
// does. Throws StorageError.
std::shared_ptr<arrow::fs::FileSystem> azure_files(const std::string& who,
                                                   const std::string& address,
                                                   const AzureParts& parts);

// What of the environment azure_files() looks at.
std::string azure_environment();

}  // namespace systolic::arrow_module
