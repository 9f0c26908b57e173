// Google identities that are got with another one: workload identity, and
// service accounts that somebody acts as.
#pragma once

#include <memory>
#include <string>

#include "systolic/io/google_identity.h"

namespace systolic::io::detail {

// The identity of a credentials file of type "external_account", whose token
// comes out of a file or from an address and is exchanged for Google's. Throws
// DataError for other sources (Amazon's, programs).
std::shared_ptr<GoogleIdentity> external_account(const std::string& text,
                                                 const std::string& origin);

// The same of type "impersonated_service_account".
std::shared_ptr<GoogleIdentity> impersonated_account(const std::string& text,
                                                     const std::string& origin);

}  // namespace systolic::io::detail
