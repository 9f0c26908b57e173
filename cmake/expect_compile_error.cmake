# cmake -DCOMPILER=g++ -DINCLUDE=<root> -DPROGRAM=<file> -P <this>
# Passes when the program does not compile and the compiler's answer matches
# the regular expression of the program's line "// error: <expression>"; and
# when, with SYSTOLIC_FIXED defined, it does compile: so that a program that is
# wrong for another reason is found out.
file(STRINGS "${PROGRAM}" expected REGEX "^// error: ")
if(NOT expected)
  message(FATAL_ERROR "${PROGRAM} lacks a line \"// error: <expression>\"")
endif()
# Plain quotes in the answer, whatever the locale.
set(ENV{LC_ALL} C)
execute_process(
  COMMAND "${COMPILER}" -std=c++20 -fsyntax-only "-I${INCLUDE}" "${PROGRAM}"
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
execute_process(
  COMMAND "${COMPILER}" -std=c++20 -fsyntax-only -DSYSTOLIC_FIXED
          "-I${INCLUDE}" "${PROGRAM}"
  RESULT_VARIABLE result
  ERROR_VARIABLE answer)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} must compile with SYSTOLIC_FIXED defined:\n"
          "${answer}")
endif()
