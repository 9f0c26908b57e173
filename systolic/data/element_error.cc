#include "systolic/data/element_error.h"

#include <new>

#include "systolic/base/error.h"
#include "systolic/data/element_origin.h"
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

// Where the first part of `element` that knows it was read from.
std::string origin_of_element(const Element& element) {
  if (element.is_array()) return origin_text(element.array());
  for (const Element& item : element.items()) {
    std::string text = origin_of_element(item);
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace

std::exception_ptr error_for_element(std::exception_ptr error,
                                     const std::string& name, int64_t index,
                                     const Element& element) {
  const std::string place = origin_of_element(element);
  const std::string where = name + " (element " + std::to_string(index) +
                            (place.empty() ? "" : "; ") + place + "): ";
  try {
    try {
      std::rethrow_exception(error);
    } catch (const PlatformError& e) {
      std::throw_with_nested(
          PlatformError(where + e.what(), e.call(), e.code()));
    } catch (const InternalError&) {
      throw;  // its text already asks for a report
    } catch (const std::exception& e) {
      const std::string text = where + e.what();
      // The narrower ones first.
      throw_nested_as<ShapeError, ResourceExhaustedError, ValueError, TypeError,
                      NotFoundError, io::PermissionDeniedError,
                      io::StorageError>(e, text);
      if (dynamic_cast<const std::bad_alloc*>(&e) != nullptr) throw;
      std::throw_with_nested(DataError(text));
    } catch (...) {
      std::throw_with_nested(
          DataError(where + "the function threw what is no std::exception"));
    }
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace systolic::data::detail
