// SHA-256 of bytes, at once or in parts.
//
//   std::string digits = sha256(bytes);
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace systolic::internal {

// Takes bytes in parts.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  // The digest of all that was added in 64 hexadecimal digits; nothing can be
  // added afterwards.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The digest of some bytes in 64 hexadecimal digits.
std::string sha256(std::span<const std::byte> bytes);

// The digest of a text's bytes.
std::string sha256(std::string_view text);

}  // namespace systolic::internal
