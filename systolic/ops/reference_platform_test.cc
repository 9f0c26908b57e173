// docs/reference/ops.md: the functions of this room's headers, with what the
// catalogue and the contract know of them. The page is made here, and the test
// fails where the file differs:
//
//   SYSTOLIC_WRITE_REFERENCE=1 build/bin/ops_platform_test
//       --gtest_filter='OpReference.*'
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "systolic/ops/catalog.h"
#include "systolic/ops/test_ops.h"

namespace systolic::internal::ops {
namespace {

namespace fs = std::filesystem;

fs::path source() {
  return golden::folder().parent_path().parent_path().parent_path();
}

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// A public function: its signature and the first sentence about it.
struct Function {
  std::string name;
  std::string signature;
  std::string sentence;
};

// The functions that record an op of another name.
const std::map<std::string, std::string>& recorded() {
  static const std::map<std::string, std::string> all{
      {"less", "compare"},
      {"less_equal", "compare"},
      {"greater", "compare"},
      {"greater_equal", "compare"},
      {"equal", "compare"},
      {"not_equal", "compare"},
      {"reduce_any", "any"},
      {"reduce_all", "all"},
      {"argmin", "argmax"},
      {"lu_factor", "lu"},
      {"pow", "power"},
      {"floormod", "mod"},
      {"remainder", "mod"},
      {"truncatemod", "fmod"},
      {"true_divide", "divide"},
      {"absolute", "abs"},
      {"gammaln", "lgamma"},
      {"left_shift", "bitwise_left_shift"},
      {"right_shift", "bitwise_right_shift"}};
  return all;
}

std::string without(std::string text, const std::string& pattern,
                    const std::string& by = "") {
  return std::regex_replace(text, std::regex(pattern), by);
}

// "Tensor sum(const Arg& x, ...)" as a reader wants it.
std::string short_signature(std::string text) {
  text = without(text, "\\s+", " ");
  text = without(text, "const (\\w[\\w:]*(?:<[^>]*>)?)&", "$1");
  text = without(text, ",? SourceLocation where = [^)]*\\(\\)");
  text = without(text, "\\bArg ", "");
  text = without(text, "std::", "");
  return without(text, ";$");
}

std::string first_sentence(const std::string& text) {
  const size_t end = text.find(". ");
  std::string sentence = end == std::string::npos ? text : text.substr(0, end);
  if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  return without(sentence, "\\|", "\\|");
}

std::vector<Function> functions_of(const std::string& header) {
  static const std::regex declaration(
      "^(?:Tensor|std::pair<[^(]*>|std::tuple<[^(]*>|std::vector<Tensor>) "
      "(\\w+)\\(");
  static const std::regex alias("^using internal::graph::(\\w+);");
  std::vector<Function> functions;
  std::istringstream lines(header);
  std::string doc, line, space;
  bool public_part = false, in_doc = false;
  while (std::getline(lines, line)) {
    if (line == "namespace systolic {") public_part = true;
    if (line.rfind("namespace systolic::internal", 0) == 0) break;
    if (line.rfind("namespace internal", 0) == 0) public_part = false;
    if (line.rfind("}  // namespace internal", 0) == 0) public_part = true;
    if (line == "namespace nn {") space = "nn::";
    if (line.rfind("}  // namespace nn", 0) == 0) space = "";
    if (line.rfind("///", 0) == 0) {
      if (!in_doc) doc.clear();
      in_doc = true;
      doc += (doc.empty() ? "" : " ") + without(line, "^/// ?");
      continue;
    }
    in_doc = false;
    std::smatch match;
    if (!public_part) continue;
    if (std::regex_search(line, match, alias)) {
      functions.push_back({match[1], match[1], first_sentence(doc)});
    }
    if (!std::regex_search(line, match, declaration)) continue;
    const std::string name = match[1];
    std::string all = line;
    while (all.find(';') == std::string::npos &&
           all.find('{') != all.size() - 1 && std::getline(lines, line)) {
      all += " " + without(line, "^ +");
    }
    if (name.rfind("operator", 0) == 0) continue;
    functions.push_back(
        {space + name, short_signature(all), first_sentence(doc)});
  }
  return functions;
}

std::string dtypes_text(const std::set<DType>& dtypes) {
  std::string text;
  const auto group = [&](const std::vector<DType>& all, const char* word) {
    const bool has_all = std::all_of(
        all.begin(), all.end(), [&](DType d) { return dtypes.count(d) > 0; });
    if (has_all) {
      text += (text.empty() ? "" : ", ") + std::string(word);
      return;
    }
    for (const DType d : all) {
      if (!dtypes.count(d)) continue;
      text += (text.empty() ? "" : ", ") + std::string(name(d));
    }
  };
  group(contracts::kFloats, "floats");
  group(contracts::kIntegers, "integers");
  group({DType::boolean}, "bool");
  return text;
}

// What the contract claims of each op.
std::map<std::string, std::set<DType>> claimed_dtypes() {
  std::map<std::string, std::set<DType>> all;
  for (const contracts::OpSample& sample : all_samples()) {
    const bool typed =
        std::any_of(sample.inputs.begin(), sample.inputs.end(),
                    [](const Array& x) { return x.dtype() == DType::float64; });
    if (typed) {
      all[sample.op].insert(sample.dtypes.begin(), sample.dtypes.end());
    }
    for (const Array& x : sample.inputs) {
      if (!typed) all[sample.op].insert(x.dtype());
    }
  }
  return all;
}

std::string row(const Function& f,
                const std::map<std::string, const graph::OpDef*>& ops,
                const std::map<std::string, std::set<DType>>& dtypes) {
  const auto other = recorded().find(f.name);
  std::string name = other == recorded().end() ? f.name : other->second;
  name = without(name, "^nn::");
  const auto op = ops.find(name);
  std::string kind = "its ops'", gradient = "its ops'";
  if (op != ops.end()) {
    const auto claimed = dtypes.find(name);
    kind = claimed == dtypes.end() ? "" : dtypes_text(claimed->second);
    gradient = op->second->vjp != nullptr
                   ? "yes"
                   : "no: " + std::string(op->second->not_differentiable);
  }
  return "| `" + without(f.signature, "\\|", "\\|") + "` | " + f.sentence +
         " | " + kind + " | " + gradient + " |\n";
}

constexpr char kTop[] =
    R"(# Ops

Made from the headers, the catalogue and the op contract by a test; change those
and write it again: `SYSTOLIC_WRITE_REFERENCE=1 build/bin/ops_platform_test
--gtest_filter='OpReference.*'`.

- **Dtypes** are those that the contract runs: "floats" are float32, float64,
  bfloat16 and float16, "integers" all eight. Ops with a real result take
  integers too, which become float32. float8 is storage: `cast` to and from it.
- **Gradient**: "its ops'" says that the function is made of other ops, and has
  their dtypes and gradients.
- **Platforms**: every op is StableHLO (or CHLO, which XLA's plugins expand), so
  it runs on CPU, GPU and TPU. What differs: float64 is slow on TPU; convolution,
  pooling, large matrix products and random bits have kernels of ours on CPU
  ([0010](../design/0010-cpu-kernels.md)).
- Operands (`x`, `y`, without a type here) are Tensors, Variables, Arrays or C++
  numbers.
)";

std::string page() {
  std::map<std::string, const graph::OpDef*> ops;
  for (const graph::OpDef* op : catalog()) ops[std::string(op->name)] = op;
  const auto dtypes = claimed_dtypes();
  std::vector<fs::path> headers;
  for (const auto& entry : fs::directory_iterator(source() / "systolic/ops")) {
    if (entry.path().extension() == ".h" &&
        entry.path().filename() != "test_ops.h") {
      headers.push_back(entry.path());
    }
  }
  std::sort(headers.begin(), headers.end());
  std::string text = kTop;
  for (const fs::path& path : headers) {
    const std::string header = read(path);
    const auto functions = functions_of(header);
    if (functions.empty()) continue;
    const std::string banner = header.substr(3, header.find('\n') - 3);
    text += "\n## " + path.filename().string() + "\n" + banner +
            "\n\n| function | what | dtypes | gradient |\n|---|---|---|---|\n";
    for (const Function& f : functions) text += row(f, ops, dtypes);
  }
  return text;
}

TEST(OpReference, IsFresh) {
  const fs::path file = source() / "docs/reference/ops.md";
  const std::string wanted = page();
  if (std::getenv("SYSTOLIC_WRITE_REFERENCE") != nullptr) {
    std::ofstream(file) << wanted;
  }
  EXPECT_TRUE(read(file) == wanted)
      << file << " is not what the headers and the catalogue say; write it "
      << "again with SYSTOLIC_WRITE_REFERENCE=1";
}

TEST(OpReference, KnowsSignaturesSentencesAndGradients) {
  const std::string text = page();
  const auto has = [&](const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  };
  has("| `Tensor multiply(x, y)` | x * y | floats, integers, bool | yes |");
  has("| `Tensor less(x, y)` | Whether x < y | floats, integers, bool | "
      "no: its result is bool |");
  has("| `Tensor hypot(x, y)` |");
  has("| `Tensor sum(x, ReduceOptions options = {})` |");
}

}  // namespace
}  // namespace systolic::internal::ops
