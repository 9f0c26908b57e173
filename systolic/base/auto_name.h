// Names for objects that the user did not name, as Keras gives them.
//   auto_name("Conv2D");   // "conv2d", then "conv2d_1", ...
// One count per name and process; clear_session() starts over.
#pragma once

#include <string>
#include <string_view>

namespace systolic {

// Forgets the names given so far: the next Dense is "dense" again. Objects
// that exist keep their names.
void clear_session();

namespace internal {

// "MaxPooling2D" as "max_pooling2d", by Keras's rules.
std::string to_snake_case(std::string_view name);

// `name` itself the first time, then with _1, _2, ...; thread safe.
std::string unique_name(std::string_view name);

// unique_name of the class's name in snake case.
std::string auto_name(std::string_view class_name);

}  // namespace internal
}  // namespace systolic
