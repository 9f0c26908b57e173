#include "systolic/data/element_error.h"

#include "systolic/base/error.h"

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

}  // namespace

std::exception_ptr error_for_element(std::exception_ptr error,
                                     const std::string& name, int64_t index) {
  const std::string where = name + " (element " + std::to_string(index) + "): ";
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
      throw_nested_as<ShapeError, ValueError, TypeError, NotFoundError>(e,
                                                                        text);
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
