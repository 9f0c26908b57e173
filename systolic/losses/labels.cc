#include "systolic/losses/labels.h"

#include <cmath>
#include <string>
#include <type_traits>

#include "systolic/base/message.h"

namespace systolic::losses {
namespace {

using internal::Message;

// The place of element `flat` of `shape`, as Python writes a tuple.
std::string position(int64_t flat, Shape shape, int64_t first_row) {
  Shape place = Shape::filled(shape.rank(), 0);
  for (int i = shape.rank() - 1; i >= 0; --i) {
    place.set(i, flat % shape[i]);
    flat /= shape[i];
  }
  if (place.rank() > 0) place.set(0, place[0] + first_row);
  return place.to_string();
}

template <class T>
[[noreturn]] void report(const Array& labels, int64_t flat, T value,
                         int64_t num_classes,
                         const LabelCheckOptions& options) {
  Message message{std::string(options.who)};
  message
      .expected("labels in 0 ... ", num_classes - 1, ", one of ", num_classes,
                " classes")
      .got(value, " at position ",
           position(flat, labels.shape(), options.first_row))
      .detail("labels", labels.spec());
  if (static_cast<double>(value) == static_cast<double>(num_classes)) {
    message.hint(
        "class numbers start at 0: subtract 1 where yours start at 1, or give "
        "the last layer one unit more");
  } else if (static_cast<double>(value) < 0) {
    message.hint("ignore_class = ", value,
                 " leaves such labels out of the loss");
  } else {
    message.hint("the last layer needs a unit for every class");
  }
  message.raise<ValueError>();
}

template <class T>
void check(const Array& labels, int64_t num_classes,
           const LabelCheckOptions& options) {
  const auto values = labels.span<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    const T value = values[i];
    bool known;
    if constexpr (std::is_floating_point_v<T>) {
      // The device truncates, as Keras does; NaN is in no range.
      known = value > -1 && value < static_cast<T>(num_classes);
    } else if constexpr (std::is_signed_v<T>) {
      known = value >= 0 && static_cast<int64_t>(value) < num_classes;
    } else {
      known = static_cast<uint64_t>(value) < static_cast<uint64_t>(num_classes);
    }
    if (known) continue;
    if (options.ignore_class &&
        static_cast<double>(value) ==
            static_cast<double>(*options.ignore_class)) {
      continue;
    }
    report(labels, static_cast<int64_t>(i), value, num_classes, options);
  }
}

}  // namespace

void check_labels(const Array& labels, int64_t num_classes,
                  const LabelCheckOptions& options) {
  switch (labels.dtype()) {
    case DType::boolean:
      return check<bool>(labels, num_classes, options);
    case DType::int8:
      return check<int8_t>(labels, num_classes, options);
    case DType::int16:
      return check<int16_t>(labels, num_classes, options);
    case DType::int32:
      return check<int32_t>(labels, num_classes, options);
    case DType::int64:
      return check<int64_t>(labels, num_classes, options);
    case DType::uint8:
      return check<uint8_t>(labels, num_classes, options);
    case DType::uint16:
      return check<uint16_t>(labels, num_classes, options);
    case DType::uint32:
      return check<uint32_t>(labels, num_classes, options);
    case DType::uint64:
      return check<uint64_t>(labels, num_classes, options);
    case DType::float32:
      return check<float>(labels, num_classes, options);
    case DType::float64:
      return check<double>(labels, num_classes, options);
    default:
      Message{std::string(options.who)}
          .expected("labels of an integer type")
          .got(labels.dtype())
          .detail("labels", labels.spec())
          .hint("cast them, for example cast(labels, DType::int32)")
          .raise<TypeError>();
  }
}

}  // namespace systolic::losses
