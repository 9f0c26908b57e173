// Tested by: systolic/graph/function_check_platform_test.cc
#include "systolic/graph/program_listing.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/message.h"
#include "systolic/graph/op.h"

namespace systolic::internal::graph {

namespace {

std::string place(std::string_view op, const SourceLocation& where) {
  const std::string_view file = where.file_name();
  return std::string(op) + " at " +
         std::string(file.substr(file.rfind('/') + 1)) + ":" +
         std::to_string(where.line());
}

bool is_same_line(const SourceLocation& a, const SourceLocation& b) {
  return a.line() == b.line() && std::strcmp(a.file_name(), b.file_name()) == 0;
}

bool have_same_elements(Storage& a, Storage& b) {
  if (&a == &b) return true;
  const Array x = a.host(), y = b.host();
  return x.nbytes() == y.nbytes() &&
         std::memcmp(x.data(), y.data(), static_cast<size_t>(x.nbytes())) == 0;
}

}  // namespace

ProgramListing::ProgramListing(const Program& program,
                               std::span<const VariableValue> reads,
                               std::span<const Tensor> inputs)
    : key_(program.key()) {
  for (const Node* node : program.order()) add_site(*node);
  for (const Ref& ref : program.arguments()) {
    Leaf leaf;
    leaf.spec = ref.spec();
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].ref() == ref) leaf.input = static_cast<int>(i);
    }
    for (const VariableValue& read : reads) {
      if (read.node == ref.node.get() && read.output == ref.output) {
        leaf.variable = read.state->path;
      }
    }
    if (leaf.input < 0 && leaf.variable.empty()) {
      leaf.constant = ref.node->output(ref.output).storage;
    }
    for (const Node* node : program.order()) {
      if (!leaf.used_by.empty()) break;
      for (const Ref& input : node->inputs) {
        if (!(input == ref)) continue;
        leaf.used_by = node->op->name;
        leaf.used_at = node->where;
      }
    }
    leaves_.push_back(std::move(leaf));
  }
}

void ProgramListing::add_site(const Node& node) {
  add_bodies(node);
  Site site;
  site.op = node.op;
  site.where = node.where;
  KeyWriter writer(site.options);
  node.op->write_key(node.options.get(), writer);
  for (const Ref& input : node.inputs) {
    if (input.node->kind != NodeKind::literal) continue;
    site.literals.push_back(input.node->literal_bits);
    site.literal_dtypes.push_back(input.spec().dtype);
  }
  sites_.push_back(std::move(site));
}

// The operations of loop bodies, each after those that it uses.
void ProgramListing::add_bodies(const Node& node) {
  if (node.op->regions == nullptr) return;
  for (const auto& region : node.op->regions(node.options.get())) {
    std::vector<const Node*> seen;
    const std::function<void(const Ref&)> visit = [&](const Ref& ref) {
      const Node& inner = *ref.node;
      if (inner.region != region->id || inner.kind != NodeKind::operation ||
          std::ranges::find(seen, &inner) != seen.end()) {
        return;
      }
      seen.push_back(&inner);
      for (const Ref& input : inner.inputs) visit(input);
      add_site(inner);
    };
    for (const Ref& result : region->results) visit(result);
  }
}

std::string ProgramListing::difference(const ProgramListing& before) const {
  std::string text = compare_sites(before);
  if (text.empty()) text = compare_leaves(before);
  if (text.empty() && key_ != before.key_) {
    text =
        "the same operations use each other's results in another way, or "
        "others of them are kept";
  }
  return text;
}

std::string ProgramListing::compare_sites(const ProgramListing& before) const {
  const size_t shared = std::min(sites_.size(), before.sites_.size());
  for (size_t i = 0; i < shared; ++i) {
    const Site& now = sites_[i];
    const Site& then = before.sites_[i];
    const std::string here = place(now.op->name, now.where);
    if (now.op != then.op || !is_same_line(now.where, then.where)) {
      return concatenate_text("it has ", here, " where ",
                              place(then.op->name, then.where),
                              " was recorded");
    }
    for (size_t k = 0; k < now.literals.size(); ++k) {
      if (k >= then.literals.size() || now.literals[k] == then.literals[k]) {
        continue;
      }
      const auto text = [k](const Site& site) {
        return literal_array(site.literal_dtypes[k], site.literals[k])
            .to_string();
      };
      return concatenate_text("a C++ number in ", here, " is ", text(now), ", ",
                              text(then), " was recorded");
    }
    if (now.options != then.options) {
      return concatenate_text("the options of ", here,
                              " are not those that were recorded");
    }
  }
  if (sites_.size() == before.sites_.size()) return "";
  const bool is_longer = sites_.size() > before.sites_.size();
  const Site& next = is_longer ? sites_[shared] : before.sites_[shared];
  return concatenate_text(
      is_longer ? "it goes on with " : "it ends before ",
      place(next.op->name, next.where),
      is_longer ? ", which was not recorded" : ", which was recorded");
}

std::string ProgramListing::compare_leaves(const ProgramListing& before) const {
  const auto describe = [](const Leaf& leaf) {
    if (leaf.input >= 0) {
      return concatenate_text("Tensor ", leaf.input, " of the arguments");
    }
    if (!leaf.variable.empty()) {
      return concatenate_text("Variable \"", leaf.variable, "\"");
    }
    return concatenate_text("a captured ", leaf.spec);
  };
  const size_t shared = std::min(leaves_.size(), before.leaves_.size());
  for (size_t i = 0; i < shared; ++i) {
    const Leaf& now = leaves_[i];
    const Leaf& then = before.leaves_[i];
    const std::string user = place(now.used_by, now.used_at);
    if (now.input != then.input || now.variable != then.variable ||
        now.spec != then.spec) {
      return concatenate_text(user, " uses ", describe(now), " where ",
                              describe(then), " was recorded");
    }
    if (now.constant != nullptr &&
        !have_same_elements(*now.constant, *then.constant)) {
      return concatenate_text(describe(now), " used by ", user,
                              " has other elements than were recorded");
    }
  }
  if (leaves_.size() == before.leaves_.size()) return "";
  const Leaf& other =
      leaves_.size() > shared ? leaves_[shared] : before.leaves_[shared];
  return concatenate_text(
      place(other.used_by, other.used_at), " uses ", describe(other),
      leaves_.size() > shared ? ", which was not recorded"
                              : ", which is not used any more");
}

}  // namespace systolic::internal::graph
