// Microsoft's storage, or what speaks as it does.
#pragma once

#include <arrow/filesystem/filesystem.h>

#include <memory>
#include <string>

namespace systolic::arrow_module {

// The file system of "abfs://container@account.dfs.core.windows.net", and in
// `*root` the container. The key, the token and the endpoint are those of
// AZURE_STORAGE_CONNECTION_STRING where that is of the account; else who asks
// is found as Microsoft's own client does. Throws StorageError.
std::shared_ptr<arrow::fs::FileSystem> azure_files(const std::string& who,
                                                   const std::string& address,
                                                   std::string* root);

// What of the environment azure_files() looks at.
std::string azure_environment();

}  // namespace systolic::arrow_module
