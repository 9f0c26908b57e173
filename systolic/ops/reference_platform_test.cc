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
      {"not_equal", "equal"},
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
      {"conjugate", "conj"},
      {"ifft", "fft"},
      {"fft2", "fft"},
      {"ifft2", "fft"},
      {"fft3", "fft"},
      {"ifft3", "fft"},
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
    for (const std::string name : {"image", "random"}) {
      if (line != "namespace systolic::" + name + " {") continue;
      public_part = true;
      space = name + "::";
    }
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
    all.insert(static_cast<size_t>(match.position(1)), space);
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
  group(contracts::kComplex, "complex");
  group(contracts::kIntegers, "integers");
  group({DType::boolean}, "bool");
  return text;
}

// What the contract claims of each op.
std::map<std::string, std::set<DType>> claimed_dtypes() {
  std::map<std::string, std::set<DType>> all;
  for (const contracts::OpSample& sample : all_samples()) {
    const bool typed = std::any_of(
        sample.inputs.begin(), sample.inputs.end(), [](const Array& x) {
          return x.dtype() == DType::float64 || x.dtype() == DType::complex128;
        });
    if (typed) {
      all[sample.op].insert(sample.dtypes.begin(), sample.dtypes.end());
    }
    for (const Array& x : sample.inputs) {
      if (!typed) all[sample.op].insert(x.dtype());
    }
  }
  return all;
}

// What the TPU's compiler was found to refuse (scripts/judge).
std::map<std::string, std::set<DType>> refused_on_tpus() {
  std::map<std::string, std::set<DType>> all;
  std::ifstream in(source() / "tests/judge/exceptions.tsv");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("#", 0) == 0) continue;
    std::istringstream fields(line);
    std::string op, dtype;
    std::getline(fields, op, '\t');
    std::getline(fields, dtype, '\t');
    all[op].insert(dtype_from_name(dtype));
  }
  return all;
}

// What the page is made of.
struct Facts {
  std::map<std::string, const graph::OpDef*> ops;
  std::map<std::string, std::set<DType>> dtypes;
  std::map<std::string, std::set<DType>> refused;
};

std::string platforms_text(const std::string& op, const Facts& facts) {
  const auto refused = facts.refused.find(op);
  if (refused == facts.refused.end()) return "CPU, TPU";
  return "CPU, TPU but for " + dtypes_text(refused->second);
}

std::string row(const Function& f, const Facts& facts) {
  const auto other = recorded().find(f.name);
  std::string name = other == recorded().end() ? f.name : other->second;
  name = without(name, "^nn::");
  const auto op = facts.ops.find(name);
  std::string kind = "its ops'", gradient = kind, platforms = kind;
  if (op != facts.ops.end()) {
    const auto claimed = facts.dtypes.find(name);
    kind = claimed == facts.dtypes.end() ? "" : dtypes_text(claimed->second);
    platforms = platforms_text(name, facts);
    gradient = op->second->vjp != nullptr
                   ? "yes"
                   : "no: " + std::string(op->second->not_differentiable);
  }
  return "| `" + without(f.signature, "\\|", "\\|") + "` | " + f.sentence +
         " | " + kind + " | " + platforms + " | " + gradient + " |\n";
}

constexpr char kTop[] =
    R"(# Ops

Made from the headers, the catalogue and the op contract by a test; change those
and write it again: `SYSTOLIC_WRITE_REFERENCE=1 build/bin/ops_platform_test
--gtest_filter='OpReference.*'`.

- **Dtypes** are those that the contract runs: "floats" are float32, float64,
  bfloat16 and float16, "complex" complex64 and complex128, "integers" all eight.
  Ops with a real result take integers too, which become float32. Where complex
  numbers are not named, they are refused with a hint. float8 is storage: it is
  made, moved and cast, and arithmetic refuses it.
- **Gradient**: "its ops'" says that the function is made of other ops, and has
  their dtypes, platforms and gradients. Of complex numbers, gradients are
  TensorFlow's: the conjugate of the derivative.
- **Platforms**: on CPU the contract runs all of those dtypes. "TPU" is what the
  TPU's compiler takes (`scripts/judge`, `tests/judge/exceptions.tsv`); it is not
  asked about float64 and complex128, which no TPU has in hardware. Every op is
  StableHLO (or CHLO, which XLA's plugins expand), which GPU plugins take as well,
  but no test of ours has a GPU. Convolution, pooling, large matrix products and
  random bits have kernels of ours on CPU ([0010](../design/0010-cpu-kernels.md)).
- Operands (`x`, `y`, without a type here) are Tensors, Variables, Arrays or C++
  numbers.
)";

std::string page() {
  Facts facts{{}, claimed_dtypes(), refused_on_tpus()};
  for (const graph::OpDef* op : catalog()) {
    facts.ops[std::string(op->name)] = op;
  }
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
            "\n\n| function | what | dtypes | platforms | gradient |\n"
            "|---|---|---|---|---|\n";
    for (const Function& f : functions) text += row(f, facts);
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
  has("| `Tensor multiply(x, y)` | x * y | floats, complex, integers, bool | "
      "CPU, TPU | yes |");
  has("| `Tensor less(x, y)` | Whether x < y | floats, integers, bool | "
      "CPU, TPU | no: its result is bool |");
  has("| `Tensor hypot(x, y)` |");
  has("| `Tensor image::stateless_random_hue(images, double max_delta, SeedArg "
      "seed)` "
      "| adjust_hue by a number between -max_delta and max_delta | its ops' |");
  has("| `Tensor sum(x, ReduceOptions options = {})` |");
}

}  // namespace
}  // namespace systolic::internal::ops
