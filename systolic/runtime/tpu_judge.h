// What the TPU's compiler says of a program, on a machine without a TPU.
//
//   SYSTOLIC_JUDGE=v3-8 ./my_program
//
//   if (TpuJudge* judge = TpuJudge::chosen()) {
//     for (const TpuJudge::Slice& slice : judge->slices()) {
//       std::string reason = judge->refusal(text, 8, slice);  // empty: fine
//     }
//   }
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/pjrt/topology.h"
#include "systolic/platforms/platform.h"

namespace systolic::internal::runtime {

// An op that a TPU's compiler is known to refuse.
struct JudgeException {
  std::string op;      // "matmul"
  std::string dtype;   // of an input or a result, "int64"
  std::string reason;  // for people
};

class TpuJudge {
 public:
  // A slice that programs are compiled for.
  struct Slice {
    std::string name;  // "v3-8"
    int devices = 0;
  };
  // What became of a program.
  enum class Outcome { compiles, refused, excepted, float64 };

  // The judge that SYSTOLIC_JUDGE names slices for, separated by commas; null
  // where it is not set. Where libtpu is not installed one warning says so,
  // and null. Throws ValueError for a name that is no slice's.
  static TpuJudge* chosen();

  // A judge for slices; libtpu is loaded once something is to be compiled.
  // Throws NotFoundError where it is not installed.
  explicit TpuJudge(const std::string& slices);

  const std::vector<Slice>& slices() const { return slices_; }
  const platforms::PlatformRow& row() const { return row_; }

  // Why a program does not compile for a slice; empty: it does. Remembered
  // by the program, the slice and libtpu's file in judged/ of
  // cache_folder(), so that each is compiled once.
  std::string refusal(const std::string& stablehlo_text, int num_replicas,
                      const Slice& slice);

  // Adds a line to the file that SYSTOLIC_JUDGE_REPORT names: the program's
  // hash, the slice, the outcome, a name and a reason, apart by tabs.
  static void report(const std::string& stablehlo_text, const Slice& slice,
                     Outcome outcome, std::string_view name,
                     std::string_view reason = "");

  // The lines of the file that SYSTOLIC_JUDGE_EXCEPTIONS names: op, dtype and
  // reason, apart by tabs; '#' begins a comment. Throws DataError for others.
  static std::vector<JudgeException> exceptions();

 private:
  const pjrt::Topology& topology(const Slice& slice);

  const platforms::PlatformRow& row_;
  std::string identity_;  // of libtpu's file and the user's settings
  std::vector<Slice> slices_;
  std::mutex mutex_;  // one compiler at a time
  std::vector<std::optional<pjrt::Topology>> topologies_;
};

}  // namespace systolic::internal::runtime
