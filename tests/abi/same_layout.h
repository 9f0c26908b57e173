// Compares a struct of ours with a published one while compiling:
//   SAME_FIELD(abi::Program, code_size, PJRT_Program, code_size);
#pragma once

#include <cstddef>

// Both fields lie at the same offset and take the same number of bytes.
#define SAME_FIELD(ours, our_field, theirs, their_field)                    \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field), \
                #theirs "." #their_field " lies elsewhere");                \
  static_assert(sizeof(ours::our_field) == sizeof(theirs::their_field),     \
                #theirs "." #their_field " has another size")

// Both structs take the same number of bytes.
#define SAME_SIZE(ours, theirs) \
  static_assert(sizeof(ours) == sizeof(theirs), #theirs " has another size")

// Both enumerators have the same number.
#define SAME_VALUE(ours, theirs)                                    \
  static_assert(static_cast<int>(ours) == static_cast<int>(theirs), \
                #theirs " has another number")

// The same, of structs that start with their size and a list of extensions.
#define SAME_STRUCT(ours, theirs)                     \
  SAME_SIZE(ours, theirs);                            \
  SAME_FIELD(ours, struct_size, theirs, struct_size); \
  SAME_FIELD(ours, extension_start, theirs, extension_start)
