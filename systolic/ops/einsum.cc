// The operands are combined pair by pair from the left; each pair is one
// matrix product with batch axes, so that gradients are matrix products, too.
#include "systolic/ops/einsum.h"

#include <algorithm>
#include <map>
#include <string>

#include "systolic/array/promotion.h"
#include "systolic/base/message.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic {

namespace {

// A Tensor whose axes have names: letters, and digits for those of "...".
struct Term {
  Tensor x;
  std::string axes;
};

class Subscripts {
 public:
  Subscripts(std::string_view text, const SourceLocation& where)
      : text_(text), where_(where) {}

  [[noreturn]] void refuse(const std::string& expected,
                           const std::string& got) const {
    internal::Message("einsum")
        .expected(expected)
        .got(got)
        .detail("subscripts", text_)
        .at(where_)
        .raise<ValueError>();
  }

  [[noreturn]] void refuse_size(char axis, int64_t one, int64_t other) const {
    internal::Message("einsum")
        .expected(std::string("one size for axis ") + axis)
        .got(one, " and ", other)
        .detail("subscripts", text_)
        .at(where_)
        .raise<ShapeError>();
  }

  void parse(size_t operands) {
    std::string text;
    for (const char c : text_) {
      if (c != ' ') text += c;
    }
    const size_t arrow = text.find("->");
    has_output_ = arrow != std::string::npos;
    if (has_output_) output_ = text.substr(arrow + 2);
    std::string left = text.substr(0, arrow);
    for (size_t comma; (comma = left.find(',')) != std::string::npos;) {
      terms_.push_back(left.substr(0, comma));
      left.erase(0, comma + 1);
    }
    terms_.push_back(left);
    if (terms_.size() != operands) {
      refuse("one term for each of " + std::to_string(operands) + " operands",
             std::to_string(terms_.size()));
    }
    for (const std::string& term : terms_) check(term);
    check(output_);
  }

  // A term with the axes of "..." spelled out, as many as the rank leaves;
  // they are counted from the last one, as in broadcasting.
  std::string axes_of(size_t i, int rank) {
    const std::string& term = terms_[i];
    const size_t dots = term.find("...");
    const int named =
        static_cast<int>(term.size()) - (dots == std::string::npos ? 0 : 3);
    const int others = rank - named;
    if (others < 0 || (others > 0 && dots == std::string::npos)) {
      refuse("a letter for each axis of operand " + std::to_string(i),
             term + " for rank " + std::to_string(rank));
    }
    return expand(term, others);
  }

  std::string output(const std::vector<Term>& terms) const {
    if (has_output_) return checked_output(terms);
    std::map<char, int> counts;
    // As written: the two letters of a diagonal count twice.
    for (const std::string& term : terms_) {
      for (const char c : term) ++counts[c];
    }
    std::string result;
    for (int i = ellipsis_; i-- > 0;) result += digit(i);
    for (const auto& [c, count] : counts) {
      if (count == 1 && c != '.') result += c;
    }
    return result;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

 private:
  static char digit(int i) { return static_cast<char>('0' + i); }

  void check(const std::string& term) const {
    std::string letters = term;
    const size_t dots = letters.find("...");
    if (dots != std::string::npos) letters.erase(dots, 3);
    for (const char c : letters) {
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!is_letter) refuse("letters, and ... once in a term", term);
    }
  }

  std::string expand(const std::string& term, int others) {
    const size_t dots = term.find("...");
    if (dots == std::string::npos) return term;
    ellipsis_ = std::max(ellipsis_, others);
    std::string names;
    for (int i = others; i-- > 0;) names += digit(i);
    return term.substr(0, dots) + names + term.substr(dots + 3);
  }

  std::string checked_output(const std::vector<Term>& terms) const {
    const size_t dots = output_.find("...");
    std::string names;
    for (int i = ellipsis_; i-- > 0;) names += digit(i);
    // Without "..." on the right its axes are summed, as in opt_einsum.
    const std::string result =
        dots == std::string::npos
            ? output_
            : output_.substr(0, dots) + names + output_.substr(dots + 3);
    for (size_t i = 0; i < result.size(); ++i) {
      const char c = result[i];
      if (result.find(c, i + 1) != std::string::npos) {
        refuse("each letter once in the output", output_);
      }
      const bool known =
          std::any_of(terms.begin(), terms.end(), [&](const Term& term) {
            return term.axes.find(c) != std::string::npos;
          });
      if (!known) refuse("letters of the operands in the output", output_);
    }
    return result;
  }

  std::string text_;
  const SourceLocation& where_;
  std::vector<std::string> terms_;
  std::string output_;
  bool has_output_ = false;
  int ellipsis_ = 0;
};

int place(const std::string& axes, char c) {
  return static_cast<int>(axes.find(c));
}

bool has(const std::string& axes, char c) {
  return axes.find(c) != std::string::npos;
}

int64_t size(const Term& term, char c) {
  return term.x.shape()[place(term.axes, c)];
}

// The term with its axes in another order.
Term ordered(const Term& term, const std::string& axes) {
  std::vector<int> order;
  for (const char c : axes) order.push_back(place(term.axes, c));
  return {transpose(term.x, order), axes};
}

// A letter that stands twice, as the diagonal: masked and summed.
Term diagonals(Term term, const Subscripts& subscripts) {
  for (size_t i = 0; i < term.axes.size(); ++i) {
    for (size_t j;
         (j = term.axes.find(term.axes[i], i + 1)) != std::string::npos;) {
      const int first = static_cast<int>(i), second = static_cast<int>(j);
      const int64_t n = term.x.shape()[first], m = term.x.shape()[second];
      if (n != m) subscripts.refuse_size(term.axes[i], n, m);
      Shape row = Shape::filled(term.x.rank(), 1), column = row;
      row.set(second, n);
      column.set(first, n);
      const Tensor places = arange(n);
      const Tensor same = equal(reshape(places, column), reshape(places, row));
      term.x = sum(where(same, term.x, 0), {.axis = second});
      term.axes.erase(j, 1);
    }
  }
  return term;
}

// Without the axes that neither another term nor the output has.
Term summed(const Term& term, const std::string& kept) {
  std::vector<int> axes;
  std::string rest;
  for (size_t i = 0; i < term.axes.size(); ++i) {
    if (has(kept, term.axes[i])) {
      rest += term.axes[i];
    } else {
      axes.push_back(static_cast<int>(i));
    }
  }
  if (axes.empty()) return term;
  // Sums of narrow integers keep their dtype here.
  return {cast(sum(term.x, {.axis = axes}), term.x.dtype()), rest};
}

// Axes of "..." that are 1 here and more there: dropped, they broadcast.
Term squeezed(const Term& term, const Term& other) {
  std::vector<int> axes;
  std::string rest;
  for (size_t i = 0; i < term.axes.size(); ++i) {
    const char c = term.axes[i];
    if (Subscripts::is_digit(c) && has(other.axes, c) && size(term, c) == 1 &&
        size(other, c) != 1) {
      axes.push_back(static_cast<int>(i));
    } else {
      rest += c;
    }
  }
  return axes.empty() ? term : Term{squeeze(term.x, axes), rest};
}

int64_t elements(const Term& term, const std::string& axes) {
  int64_t product = 1;
  for (const char c : axes) product *= size(term, c);
  return product;
}

// Two terms as one matrix product: batch axes both have and keep, axes that
// both have and are summed, and what only one of them has.
Term product(const Term& left, const Term& right, const std::string& kept,
             const Subscripts& subscripts) {
  const Term a = squeezed(left, right), b = squeezed(right, left);
  std::string batch, inner, rows, columns;
  for (const char c : a.axes) {
    if (has(b.axes, c)) {
      if (size(a, c) != size(b, c)) {
        subscripts.refuse_size(c, size(a, c), size(b, c));
      }
      (has(kept, c) ? batch : inner) += c;
    } else {
      rows += c;
    }
  }
  for (const char c : b.axes) {
    if (!has(a.axes, c)) columns += c;
  }
  Shape shape = Shape::scalar(), x_shape = shape;
  for (const char c : batch) shape.push_back(size(a, c));
  x_shape = shape;
  Shape y_shape = shape;
  for (const char c : rows) shape.push_back(size(a, c));
  for (const char c : columns) shape.push_back(size(b, c));
  x_shape.push_back(elements(a, rows));
  x_shape.push_back(elements(a, inner));
  y_shape.push_back(elements(b, inner));
  y_shape.push_back(elements(b, columns));
  const Tensor x = reshape(ordered(a, batch + rows + inner).x, x_shape);
  const Tensor y = reshape(ordered(b, batch + inner + columns).x, y_shape);
  if (inner.empty()) {
    // Nothing is summed: a plain product costs less than a matrix product.
    return {reshape(x * y, shape), batch + rows + columns};
  }
  return {reshape(matmul(x, y), shape), batch + rows + columns};
}

}  // namespace

Tensor einsum(std::string_view subscripts, const std::vector<Tensor>& operands,
              SourceLocation where) {
  Subscripts parsed(subscripts, where);
  if (operands.empty()) parsed.refuse("at least one operand", "none");
  parsed.parse(operands.size());
  DType dtype = operands[0].dtype();
  for (const Tensor& x : operands) dtype = promote(dtype, x.dtype());
  std::vector<Term> terms;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Tensor x = cast(Arg(operands[i], where), dtype);
    terms.push_back(diagonals({x, parsed.axes_of(i, x.rank())}, parsed));
  }
  const std::string output = parsed.output(terms);
  const auto kept_after = [&](size_t next) {
    std::string kept = output;
    for (size_t i = next; i < terms.size(); ++i) kept += terms[i].axes;
    return kept;
  };
  std::string all = kept_after(1);
  Term result = summed(terms[0], all);
  for (size_t i = 1; i < terms.size(); ++i) {
    const std::string kept = kept_after(i + 1);
    const Term next = summed(terms[i], kept + result.axes);
    result = summed(product(result, next, kept, parsed), kept);
  }
  return ordered(result, output).x;
}

}  // namespace systolic
