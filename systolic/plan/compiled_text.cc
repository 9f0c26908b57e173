// How what the compiler said is kept in a file.
// Tested by: systolic/plan/compiled_test.cc
#include <nlohmann/json.hpp>

#include "systolic/plan/compiled.h"

namespace systolic::internal::plan {
namespace {

using Json = nlohmann::json;

// Changes with what is read from a module, so that older files are made again.
constexpr int kVersion = 5;

Json write(const OperationWork& operation) {
  return {operation.layer,  operation.name,           operation.where,
          operation.cycles, operation.unpriced_bytes, operation.bytes,
          operation.flops,  operation.padded_flops};
}

OperationWork read_operation(const Json& json) {
  return {.layer = json.at(0),
          .name = json.at(1),
          .where = json.at(2),
          .cycles = json.at(3),
          .unpriced_bytes = json.at(4),
          .bytes = json.at(5),
          .flops = json.at(6),
          .padded_flops = json.at(7)};
}

Json write(const CollectiveWork& work) {
  return {static_cast<int>(work.kind), work.bytes, work.replicas, work.times,
          work.beside};
}

CollectiveWork read_collective(const Json& json) {
  const int kind = json.at(0);
  if (kind < 0 || kind > static_cast<int>(CollectiveKind::permute)) {
    throw Json::out_of_range::create(0, "no such collective", &json);
  }
  return {.kind = static_cast<CollectiveKind>(kind),
          .bytes = json.at(1),
          .replicas = json.at(2),
          .times = json.at(3),
          .beside = json.at(4)};
}

Json write(const Refusal& refusal) {
  Json largest = Json::array();
  for (const auto& [bytes, shape, name] : refusal.largest) {
    largest.push_back({bytes, shape, name});
  }
  return {refusal.line,        refusal.wanted,    refusal.available,
          refusal.temporaries, refusal.arguments, largest};
}

Refusal read_refusal(const Json& json) {
  Refusal refusal{.line = json.at(0),
                  .wanted = json.at(1),
                  .available = json.at(2),
                  .temporaries = json.at(3),
                  .arguments = json.at(4),
                  .largest = {}};
  for (const Json& one : json.at(5)) {
    refusal.largest.push_back({one.at(0), one.at(1), one.at(2)});
  }
  return refusal;
}

Json write(const pjrt::ProgramMemory& memory) {
  return {memory.code,    memory.arguments, memory.outputs,
          memory.aliased, memory.temporary, memory.peak};
}

pjrt::ProgramMemory read_memory(const Json& json) {
  return {.code = json.at(0),
          .arguments = json.at(1),
          .outputs = json.at(2),
          .aliased = json.at(3),
          .temporary = json.at(4),
          .peak = json.at(5)};
}

Compiled read(const Json& json) {
  Compiled compiled;
  if (json.contains("refusal")) {
    compiled.refusal = read_refusal(json.at("refusal"));
  }
  compiled.memory = read_memory(json.at("memory"));
  for (const Json& one : json.at("operations")) {
    compiled.work.operations.push_back(read_operation(one));
  }
  for (const Json& one : json.at("collectives")) {
    compiled.work.collectives.push_back(read_collective(one));
  }
  compiled.work.loops_of_unknown_length = json.at("unknown_loops");
  compiled.work.branches = json.at("branches");
  compiled.work.overlapped_copies = json.at("overlapped_copies");
  compiled.seconds = json.at("seconds");
  compiled.from_cache = true;
  return compiled;
}

}  // namespace

std::string to_text(const Compiled& compiled) {
  Json json{{"version", kVersion},
            {"memory", write(compiled.memory)},
            {"operations", Json::array()},
            {"collectives", Json::array()},
            {"unknown_loops", compiled.work.loops_of_unknown_length},
            {"branches", compiled.work.branches},
            {"overlapped_copies", compiled.work.overlapped_copies},
            {"seconds", compiled.seconds}};
  if (compiled.refusal) json["refusal"] = write(*compiled.refusal);
  for (const OperationWork& operation : compiled.work.operations) {
    json["operations"].push_back(write(operation));
  }
  for (const CollectiveWork& work : compiled.work.collectives) {
    json["collectives"].push_back(write(work));
  }
  // A user's names may be no UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Compiled> from_text(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  try {
    if (!json.is_object() || json.at("version") != kVersion) return {};
    return read(json);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace systolic::internal::plan
