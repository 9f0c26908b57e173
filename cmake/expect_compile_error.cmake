# cmake -DCOMPILER=g++ -DCOMPILER_ID=GNU -DINCLUDE=<root> -DPROGRAM=<file>
#   -P <this>
#
# Passes when the program does not compile and the compiler's answer is what the
# program says in its comments, and when, with SYSTOLIC_FIXED defined, it does
# compile: so that a program that is wrong for another reason is found out.
#   // first: here: <regular expression>
#       the first error is on the line of the program that ends with "// here",
#       and its message matches; checked for g++, whose words are recorded
#   // first: <header>: <regular expression>
#       it is in that header, and "// here" is where it was "required from"
#   // error: <regular expression>
#       matches somewhere in the answer
cmake_minimum_required(VERSION 3.22)

file(STRINGS "${PROGRAM}" firsts REGEX "^// first: ")
file(STRINGS "${PROGRAM}" expected REGEX "^// error: ")
if(NOT firsts MATCHES "^// first: ([^:]+): (.*)$")
  message(FATAL_ERROR "${PROGRAM} lacks a line \"// first: <place>: "
          "<expression>\" (cmake/expect_compile_error.cmake)")
endif()
set(place "${CMAKE_MATCH_1}")
set(first_expression "${CMAKE_MATCH_2}")

# The marked line's number: the lines before it, and one.
file(READ "${PROGRAM}" text)
if(NOT text MATCHES "^(.*)// here\n")
  message(FATAL_ERROR "${PROGRAM} lacks a line that ends with \"// here\"")
endif()
string(REGEX REPLACE "[^\n]" "" before "${CMAKE_MATCH_1}")
string(LENGTH "${before}" here)
math(EXPR here "${here} + 1")

# Plain quotes in the answer, whatever the locale.
set(ENV{LC_ALL} C)
set(compile "${COMPILER}" -std=c++20 -fsyntax-only "-I${INCLUDE}")
execute_process(
  COMMAND ${compile} "${PROGRAM}"
  RESULT_VARIABLE result
  OUTPUT_VARIABLE answer
  ERROR_VARIABLE answer)
if(result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} compiles, and must not")
endif()
foreach(line IN LISTS expected)
  string(REGEX REPLACE "^// error: *" "" expression "${line}")
  if(NOT answer MATCHES "${expression}")
    message(FATAL_ERROR "${PROGRAM}: expected an answer that matches "
            "\"${expression}\", got\n${answer}")
  endif()
endforeach()
string(FIND "${answer}" "${PROGRAM}:${here}:" position)
if(position EQUAL -1)
  message(FATAL_ERROR "${PROGRAM}: expected an answer that names its line "
          "${here}, got\n${answer}")
endif()
if(COMPILER_ID STREQUAL "GNU")
  if(place STREQUAL "here")
    set(start "${PROGRAM}:${here}:")
  else()
    set(start "${INCLUDE}/${place}:")
  endif()
  string(REGEX MATCH "[^\n]*: (fatal )?error: [^\n]*" first "${answer}")
  string(FIND "${first}" "${start}" position)
  if(NOT position EQUAL 0 OR NOT first MATCHES "error: ${first_expression}")
    message(FATAL_ERROR "${PROGRAM}: expected the first error at ${start} to "
            "match \"${first_expression}\", got\n${first}\nof\n${answer}")
  endif()
endif()

execute_process(
  COMMAND ${compile} -DSYSTOLIC_FIXED "${PROGRAM}"
  RESULT_VARIABLE result
  ERROR_VARIABLE answer)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} must compile with SYSTOLIC_FIXED defined:\n"
          "${answer}")
endif()
