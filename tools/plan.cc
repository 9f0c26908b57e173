// Tested by: tools/plan_platform_test.cc
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>

#include "systolic/base/message.h"
#include "systolic/base/out.h"
#include "systolic/io/file.h"
#include "systolic/platforms/tpu_topology.h"
#include "tools/command.h"
#include "tools/plan_sweep.h"

namespace systolic::tools {
namespace {

using internal::Message;

constexpr int kDoesNotFit = 1;
const std::vector<std::string> kEachGeneration = {
    "v2-8", "v3-8", "v4-8", "v5e-8", "v5p-8", "v6e-8", "tpu7x-8"};

struct Flags {
  std::vector<std::string> topologies;
  std::vector<int64_t> batch_sizes;
  std::vector<std::string> command;
  std::string svg;
  std::string prices;
  double target = 0;
  bool json = false;
  bool sweep = false;
  bool verbose = false;
};

// A batch that the replicas can not share is better said at once.
void check_batches(const std::vector<PlanPoint>& points) {
  for (const PlanPoint& point : points) {
    const int devices =
        internal::platforms::parse_tpu_topology(point.topology).devices;
    if (point.batch_size % devices == 0) continue;
    const int64_t below = point.batch_size / devices * devices;
    Message("plan")
        .expected("a batch size that ", devices, " replicas of ",
                  point.topology, " can divide")
        .got(point.batch_size)
        .hint("for example ", std::max<int64_t>(below, devices))
        .raise<ValueError>();
  }
}

void plan_one(const Flags& flags) {
  PlanPoint point;
  if (!flags.topologies.empty()) point.topology = flags.topologies[0];
  point.topology =
      internal::platforms::parse_tpu_topology(point.topology).name();
  if (!flags.batch_sizes.empty()) point.batch_size = flags.batch_sizes[0];
  check_batches({point});
  const PlannedProgram planned =
      plan_program(flags.command, point, flags.verbose);
  output() << (flags.json ? planned.json : planned.text);
  if (flags.json && !planned.json.ends_with('\n')) output() << "\n";
  if (!planned.fits) throw CLI::RuntimeError(kDoesNotFit);
}

void say_progress(size_t done, size_t all, const PlanPoint& point) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::cerr << "\r\x1b[K";
  if (done < all) {
    std::cerr << fmt::format("{} of {}: {}, batch {} ...", done + 1, all,
                             point.topology, point.batch_size);
  }
  std::cerr << std::flush;
}

std::string sweep_json(const std::vector<std::string>& plans) {
  auto all = nlohmann::json::array();
  for (const std::string& plan : plans) {
    all.push_back(nlohmann::json::parse(plan));
  }
  return all.dump(2) + "\n";
}

void say_best(const std::vector<SweepRow>& rows, const Flags& flags,
              const Prices& prices) {
  if (flags.target <= 0) return;
  const SweepRow* best = best_of(rows, flags.target, prices);
  if (best == nullptr) {
    output() << fmt::format("None of them reaches {:.6g} rows a second.\n",
                            flags.target);
    return;
  }
  output() << fmt::format(
      "{} that reaches {:.6g} rows a second: {} with a batch of {}, {:.6g}.\n",
      prices.empty() ? "The smallest" : "The cheapest", flags.target,
      best->topology, best->batch_size, best->rate());
  if (prices.empty()) {
    output()
        << "Give --price for the cheapest: prices are by region and day.\n";
  }
}

void sweep(const Flags& flags) {
  const Prices prices = parse_prices(flags.prices);
  const auto points = sweep_points(
      flags.topologies.empty() ? kEachGeneration : flags.topologies,
      flags.batch_sizes);
  check_batches(points);
  std::vector<SweepRow> rows;
  std::vector<std::string> plans;
  for (size_t i = 0; i < points.size(); ++i) {
    say_progress(i, points.size(), points[i]);
    plans.push_back(plan_program(flags.command, points[i], flags.verbose).json);
    rows.push_back(sweep_row(plans.back()));
  }
  say_progress(points.size(), points.size(), {});
  if (flags.json) {
    output() << sweep_json(plans);
  } else {
    output() << sweep_table(rows, prices);
    say_best(rows, flags, prices);
  }
  if (flags.svg.empty()) return;
  const std::string chart = sweep_chart(rows, flags.command[0]);
  io::detail::write_file(flags.svg, std::as_bytes(std::span(chart)));
}

}  // namespace

void add_plan(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "plan",
      "What a training step of a program would cost on a TPU that need not be "
      "here: does it fit, how long does it take, what bounds it");
  command
      ->add_option("-t,--topology", flags->topologies,
                   "The TPU: v3-8 (which is the default), v5e-16 ...; "
                   "several for a sweep")
      ->delimiter(',');
  command
      ->add_option("-b,--batch-size", flags->batch_sizes,
                   "Rows of a batch, all cores together, in place of the "
                   "program's; several for a sweep")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", flags->json, "The plan, or plans, as JSON");
  CLI::Option* sweeps = command->add_flag(
      "--sweep", flags->sweep,
      "A table over TPUs (one of each generation) and batch sizes (8 to 128 "
      "for each core)");
  command->add_option("--svg", flags->svg, "The table as a chart, in a file")
      ->needs(sweeps);
  command
      ->add_option("--target", flags->target,
                   "Rows a second to be reached: says which TPU does")
      ->needs(sweeps)
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--price", flags->prices,
                   "Of a chip and hour: v3=2.20,v6e=2.70")
      ->needs(sweeps);
  command->add_flag("-v,--verbose", flags->verbose,
                    "Shows what the program prints");
  command
      ->add_option("program", flags->command,
                   "The program and its arguments, behind --")
      ->required();
  command->positionals_at_end();
  command->callback([flags] {
    const bool several =
        flags->topologies.size() > 1 || flags->batch_sizes.size() > 1;
    if (flags->topologies.empty() && !flags->sweep) {
      flags->topologies = {"v3-8"};
    }
    if (flags->sweep || several) {
      sweep(*flags);
    } else {
      plan_one(*flags);
    }
  });
}

}  // namespace systolic::tools
