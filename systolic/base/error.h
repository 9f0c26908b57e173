// The exceptions of Systolic: one family, told apart by what went wrong.
//   try { matmul(a, b); } catch (const ShapeError& e) { log(e.what()); }
// Texts are built with message.h, so they all read alike.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace systolic {

// The place in the user's program that a call came from.
using SourceLocation = std::source_location;

// The base of every exception that the library throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A value, name or option is outside what the call accepts.
class ValueError : public Error {
 public:
  using Error::Error;
};

// A value has a dtype or kind that the call does not accept.
class TypeError : public Error {
 public:
  using Error::Error;
};

// A shape breaks the rule of the operation that it was given to.
class ShapeError : public ValueError {
 public:
  using ValueError::ValueError;
};

// A file, name, device or platform is not where it was looked for.
class NotFoundError : public Error {
 public:
  using Error::Error;
};

// Bytes that were read are damaged or are not of the expected format.
class DataError : public Error {
 public:
  using Error::Error;
};

// An index or an iterator went past the end.
class OutOfRangeError : public Error {
 public:
  using Error::Error;
};

// A platform's own failure: knows the call that failed and its error code.
class PlatformError : public Error {
 public:
  // Keeps `message` as what(); `call` is the C function's name, `code` the
  // platform's error code (0 where there is none).
  PlatformError(const std::string& message, std::string call, int code);
  // For failures outside a call, such as a library that does not load.
  explicit PlatformError(const std::string& message);

  // The name of the platform call that failed; empty outside a call.
  const std::string& call() const { return call_; }
  // The platform's error code; 0 outside a call.
  int code() const { return code_; }

 private:
  std::string call_;
  int code_ = 0;
};

// A broken invariant of the library itself; its text asks for a report.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& message);
};

}  // namespace systolic
