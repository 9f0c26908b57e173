// Tested by: systolic/stablehlo/work_test.cc
#include "systolic/stablehlo/statement_text.h"

#include <cctype>
#include <charconv>

namespace systolic::internal::stablehlo {

namespace {

constexpr auto kNone = std::string_view::npos;

// The number that a text begins with; -1 where there is none.
int number_at(std::string_view text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The integers in a text, in order.
std::vector<int64_t> integers(std::string_view text) {
  std::vector<int64_t> all;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (!starts && text[i] != '-') continue;
    int64_t value = 0;
    const auto end =
        std::from_chars(text.data() + i, text.data() + text.size(), value);
    if (end.ec != std::errc()) continue;
    all.push_back(value);
    i = static_cast<size_t>(end.ptr - text.data()) - 1;
  }
  return all;
}

// Bytes of an element: "f32", "bf16", "ui8", "i1", "complex<f64>".
double bytes_of_element(std::string_view type) {
  const bool is_complex = type.starts_with("complex");
  const size_t digit = type.find_first_of("0123456789");
  if (digit == kNone) return 0;
  const int bits = number_at(type.substr(digit));
  return (bits < 8 ? 1 : bits / 8) * (is_complex ? 2.0 : 1.0);
}

TypeText parse_type(std::string_view text) {
  TypeText type;
  while (!text.empty() &&
         std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
    const size_t x = text.find('x');
    if (x == kNone) break;
    type.dims.push_back(number_at(text));
    text.remove_prefix(x + 1);
  }
  type.bytes_each = bytes_of_element(text);
  return type;
}

// Every `tensor<...>` of a text.
std::vector<TypeText> parse_types(std::string_view text) {
  constexpr std::string_view kTensor = "tensor<";
  std::vector<TypeText> types;
  for (size_t at = text.find(kTensor); at != kNone; at = text.find(kTensor)) {
    text.remove_prefix(at + kTensor.size());
    types.push_back(parse_type(text.substr(0, text.find('>'))));
  }
  return types;
}

size_t arrow_of(std::string_view line) { return line.rfind(") -> ("); }

// What stands behind `name = `.
std::string_view attribute(std::string_view line, std::string_view name) {
  for (size_t at = line.find(name); at != kNone; at = line.find(name, at + 1)) {
    const std::string_view rest = line.substr(at + name.size());
    // Not the end of another name: "padding_low", "low".
    const bool is_whole =
        at > 0 &&
        (line[at - 1] == ' ' || line[at - 1] == '{' || line[at - 1] == '<');
    if (is_whole && rest.starts_with(" = ")) return rest.substr(3);
  }
  return {};
}

}  // namespace

double TypeText::elements() const {
  double count = 1;
  for (const int64_t dim : dims) count *= static_cast<double>(dim);
  return count;
}

std::vector<TypeText> StatementText::operand_types() const {
  const size_t arrow = arrow_of(line);
  if (arrow == kNone) return {};
  const size_t start = line.rfind(" : (", arrow);
  if (start == kNone) return {};
  return parse_types(line.substr(start, arrow - start));
}

std::vector<TypeText> StatementText::result_types() const {
  const size_t arrow = arrow_of(line);
  return arrow == kNone ? std::vector<TypeText>()
                        : parse_types(line.substr(arrow));
}

std::vector<int64_t> StatementText::numbers(std::string_view name) const {
  std::string_view value = attribute(line, name);
  if (value.starts_with("array<i64")) {
    value = value.substr(0, value.find('>'));
    const size_t colon = value.find(':');
    return colon == kNone ? std::vector<int64_t>()
                          : integers(value.substr(colon));
  }
  if (value.starts_with("dense<")) {
    return integers(value.substr(0, value.find('>')));
  }
  if (value.starts_with("[")) {
    return integers(value.substr(0, value.find(']')));
  }
  return {};
}

bool StatementText::is_true(std::string_view name) const {
  return attribute(line, name).starts_with("true");
}

std::string_view StatementText::text(std::string_view name) const {
  std::string_view value = attribute(line, name);
  if (!value.starts_with('"')) return {};
  value.remove_prefix(1);
  return value.substr(0, value.find('"'));
}

StatementText parse_statement(std::string_view line) {
  constexpr std::string_view kDialect = "\"stablehlo.";
  StatementText statement{.line = line};
  std::string_view rest = line;
  if (rest.starts_with('%')) {
    statement.result = number_at(rest.substr(1));
    const size_t equals = rest.find(" = ");
    if (equals == kNone) return statement;
    rest.remove_prefix(equals + 3);
  }
  if (!rest.starts_with(kDialect)) return statement;
  rest.remove_prefix(kDialect.size());
  statement.op = rest.substr(0, rest.find('"'));
  const size_t open = rest.find('(');
  if (open == kNone) return statement;
  std::string_view operands = rest.substr(open + 1);
  operands = operands.substr(0, operands.find(')'));
  for (size_t at = operands.find('%'); at != kNone; at = operands.find('%')) {
    operands.remove_prefix(at + 1);
    const size_t end = operands.find_first_not_of("0123456789");
    const bool is_part = end != kNone && operands[end] == '#';
    statement.operands.push_back(is_part ? -1 : number_at(operands));
  }
  return statement;
}

std::vector<int> parse_arguments(std::string_view line) {
  std::vector<int> numbers;
  for (size_t at = line.find('%'); at != kNone; at = line.find('%')) {
    line.remove_prefix(at + 1);
    numbers.push_back(number_at(line));
  }
  return numbers;
}

}  // namespace systolic::internal::stablehlo
