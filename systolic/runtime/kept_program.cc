#include "systolic/runtime/kept_program.h"

#include <cctype>
#include <map>
#include <mutex>
#include <sstream>

#include "systolic/base/build_info.h"
#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/sha256.h"
#include "systolic/base/user_folders.h"
#include "systolic/platforms/fingerprint.h"
#include "systolic/runtime/client_impl.h"
#include "systolic/runtime/counters.h"
#include "systolic/runtime/executable_impl.h"
#include "systolic/runtime/machine.h"

namespace systolic::internal::runtime {
namespace {

constexpr uint64_t kMostBytes = uint64_t{2} << 30;
constexpr int kUnimplemented = 12;

// What the keys of all programs of a client begin with.
std::string identity_of(Client& client) {
  const Client::Impl& impl = client.impl();
  const platforms::KernelLibrary& kernels = impl.platform.kernels();
  std::ostringstream text;
  text << kVersion << "\n"
       << impl.name << "\n"
       << platforms::fingerprint(impl.platform.found().path) << "\n"
       << impl.version << "\n";
  for (const std::string& kind : impl.kinds) text << kind << ",";
  text << "\n";
  if (!kernels.names.empty()) {
    text << platforms::fingerprint(kernels.path) << "\n";
  }
  text << machine_identity();
  return text.str();
}

// What is known of a client for this cache.
struct ClientState {
  std::string identity;
  bool is_unable = false;  // its plugin does not serialize, or not load
};

// The states of all clients, which live as long as the process does.
class ClientStates {
 public:
  static ClientStates& instance() {
    static auto* states = new ClientStates;
    return *states;
  }
  ClientState get(Client& client) {
    const std::lock_guard lock(mutex_);
    const auto known = states_.find(&client);
    if (known != states_.end()) return known->second;
    return states_[&client] = {.identity = identity_of(client)};
  }
  void set_unable(Client& client, const std::string& why) {
    log(LogLevel::debug,
        "program cache: not for " + client.platform() + ": " + why);
    const std::lock_guard lock(mutex_);
    states_[&client].is_unable = true;
  }

 private:
  std::mutex mutex_;
  std::map<Client*, ClientState> states_;
};

std::string make_key(const std::string& identity, const std::string& options,
                     const std::string& text) {
  Sha256 hash;
  // With their lengths, so that no two lists of parts look the same.
  for (const std::string* part : {&identity, &options, &text}) {
    hash.add(std::to_string(part->size()) + ":");
    hash.add(*part);
  }
  return hash.finish();
}

uint64_t most_bytes() {
  const std::string text = environment("SYSTOLIC_CACHE_SIZE");
  if (text.empty()) return kMostBytes;
  const std::optional<uint64_t> bytes = parse_bytes(text);
  if (bytes) return *bytes;
  static std::once_flag said;
  std::call_once(said, [&text] {
    log(LogLevel::warning, "program cache: SYSTOLIC_CACHE_SIZE is \"" + text +
                               "\" and should be a number of bytes such as "
                               "500M or 2G; 2G is taken");
  });
  return kMostBytes;
}

}  // namespace

std::optional<uint64_t> parse_bytes(std::string_view text) {
  constexpr uint64_t kMost = uint64_t{1} << 62;
  uint64_t bytes = 0;
  size_t at = 0;
  for (; at < text.size() && std::isdigit(text[at]) != 0; ++at) {
    bytes = bytes * 10 + static_cast<uint64_t>(text[at] - '0');
    if (bytes > kMost) return std::nullopt;
  }
  if (at == 0) return std::nullopt;
  std::string unit;
  for (char letter : text.substr(at)) {
    if (letter != ' ') unit += static_cast<char>(std::toupper(letter));
  }
  constexpr std::string_view kUnits = "KMGT";
  const size_t power =
      unit.empty() ? std::string_view::npos : kUnits.find(unit[0]);
  if (power != std::string_view::npos) {
    for (size_t i = 0; i <= power; ++i) {
      bytes *= 1024;
      if (bytes > kMost) return std::nullopt;
    }
    unit.erase(0, 1);
    if (unit.starts_with("I")) {
      unit.erase(0, 1);
      if (unit.empty()) return std::nullopt;
    }
  }
  if (!unit.empty() && unit != "B") return std::nullopt;
  return bytes;
}

std::optional<ProgramFiles> program_files() {
  const std::string chosen = environment("SYSTOLIC_CACHE");
  if (chosen == "off") return std::nullopt;
  const std::filesystem::path folder = chosen.empty()
                                           ? cache_folder() / "programs"
                                           : std::filesystem::path(chosen);
  return ProgramFiles(folder, most_bytes());
}

KeptProgram::KeptProgram(Client& client, const std::string& stablehlo_text,
                         const CompileOptions& options)
    : client_(client),
      text_(stablehlo_text),
      options_(options),
      files_(program_files()) {
  if (!files_) return;
  try {
    const ClientState state = ClientStates::instance().get(client);
    if (state.is_unable) return;
    key_ = make_key(state.identity, encode_for_key(client, options),
                    stablehlo_text);
  } catch (const Error& error) {
    log(LogLevel::debug, std::string("program cache: ") + error.what());
  }
}

ExecutablePtr KeptProgram::load() {
  if (key_.empty()) return nullptr;
  const std::optional<std::string> program = files_->find(key_);
  if (!program) return nullptr;
  try {
    return runtime::load(client_, *program, text_, options_);
  } catch (const PlatformError& error) {
    if (error.code() == kUnimplemented) {
      ClientStates::instance().set_unable(client_, error.what());
      key_.clear();
    } else {
      files_->complain(key_, error.what());
    }
    return nullptr;
  }
}

void KeptProgram::keep(const Executable& executable, const std::string& name) {
  if (key_.empty()) return;
  try {
    files_->keep(key_, {.platform = client_.platform(), .name = name},
                 executable.serialize());
  } catch (const PlatformError& error) {
    ClientStates::instance().set_unable(client_, error.what());
  }
}

}  // namespace systolic::internal::runtime
