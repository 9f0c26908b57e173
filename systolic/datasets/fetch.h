// Fetches a public file over the network.
//   Fetched file = fetch("https://example.org/data.gz");
#pragma once

#include <string>

#include "systolic/datasets/file.h"

namespace systolic::datasets::detail {

// The bytes, or why there are none.
struct Fetched {
  Bytes bytes;
  std::string error;  // empty when it worked
};

// How often a web server is asked: once where another address is the second
// try, else as often as io::StorageOptions say.
enum class Tries { once, many };

// Fetches the address: a web server's, or any that io reads.
Fetched fetch(const std::string& address, Tries tries = Tries::many);

// Whether this build has libcurl; fetch() says so when it has not.
bool can_fetch();

}  // namespace systolic::datasets::detail
