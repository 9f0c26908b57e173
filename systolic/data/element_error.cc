#include "systolic/data/element_error.h"

#include <new>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/data/pipeline_options.h"
#include "systolic/io/error.h"

namespace systolic::data::detail {
namespace {

// Throws `error`, described by `text`, as the first of Es that it is.
template <class... Es>
void throw_nested_as(const std::exception& error, const std::string& text) {
  (
      [&] {
        if (dynamic_cast<const Es*>(&error) != nullptr) {
          std::throw_with_nested(Es(text));
        }
      }(),
      ...);
}

// The text of an error without the line that says the same as `origin`.
std::string text_without(const std::exception_ptr& error,
                         const std::string& origin) {
  std::string text;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    text = e.what();
  } catch (...) {
    return "the function threw what is no std::exception";
  }
  if (origin.empty()) return text;
  const std::string line = "\n  from: " + origin;
  const size_t at = text.find(line);
  if (at == std::string::npos) return text;
  const size_t end = at + line.size();
  if (end < text.size() && text[end] != '\n') return text;  // another record's
  return text.erase(at, line.size());
}

// What is said of the element that an error with this text is about: its number
// and its origin, unless that is a quoted path which the text has.
std::string element_text(std::string_view error, int64_t index,
                         std::string_view origin) {
  std::string text = "element " + std::to_string(index);
  if (origin.empty()) return text;
  const bool has_path =
      origin.front() == '"' &&
      error.find(origin.substr(1, origin.size() - 2)) != std::string_view::npos;
  return has_path ? text : text.append("; ").append(origin);
}

}  // namespace

std::exception_ptr error_for_element(std::exception_ptr error,
                                     const std::string& name, int64_t index,
                                     const std::string& origin) {
  std::string text = text_without(error, origin);
  text = name + " (" + element_text(text, index, origin) + "): " + text;
  try {
    try {
      std::rethrow_exception(error);
    } catch (const PlatformError& e) {
      std::throw_with_nested(PlatformError(text, e.call(), e.code()));
    } catch (const InternalError&) {
      throw;  // its text already asks for a report
    } catch (const std::exception& e) {
      // The narrower ones first.
      throw_nested_as<ShapeError, ResourceExhaustedError, ValueError, TypeError,
                      NotFoundError, io::PermissionDeniedError,
                      io::StorageError>(e, text);
      if (dynamic_cast<const std::bad_alloc*>(&e) != nullptr) throw;
      std::throw_with_nested(DataError(text));
    } catch (...) {
      std::throw_with_nested(DataError(text));
    }
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace systolic::data::detail
