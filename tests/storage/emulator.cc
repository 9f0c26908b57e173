#include "tests/storage/emulator.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "systolic/base/user_folders.h"
#include "tests/storage/local_address.h"

namespace systolic::testing {
namespace {

constexpr int kSecondsToStart = 60;

// A port that nobody has at the moment.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = local_address(0);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const bool good = bind(socket, generic, size) == 0 &&
                    getsockname(socket, generic, &size) == 0;
  ::close(socket);
  if (!good) throw std::runtime_error("no port is free");
  return ntohs(address.sin_port);
}

bool answers(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = local_address(port);
  const bool connected = connect(socket, reinterpret_cast<sockaddr*>(&address),
                                 sizeof address) == 0;
  ::close(socket);
  return connected;
}

void replace(std::string* text, const std::string& what,
             const std::string& with) {
  const size_t at = text->find(what);
  if (at != std::string::npos) text->replace(at, what.size(), with);
}

// One that scripts/install-emulators made; empty where it is not there.
std::string program(const char* name) {
  const auto path = internal::cache_folder() / "emulators" / "bin" / name;
  return std::filesystem::exists(path) ? path.string() : "";
}

}  // namespace

std::string emulators_python() { return program("python"); }

std::string azurite() { return program("azurite-blob"); }

std::string hdfs_folder() {
  const auto folder = internal::cache_folder() / "hdfs";
  std::ifstream file(folder / "java_home");
  std::string java;
  std::getline(file, java);
  const bool there = std::filesystem::exists(folder / "PINNED") &&
                     std::filesystem::exists(java + "/bin/java");
  return there ? folder.string() : "";
}

Emulator::Emulator(const std::vector<std::string>& command,
                   const std::string& folder) {
  // Somebody may take the port first: then with another one.
  for (int tries = 0; tries < 3; ++tries) {
    if (start(command, folder)) return;
    stop();
  }
  throw std::runtime_error("the emulator does not start; see " + folder +
                           "/log");
}

Emulator::~Emulator() { stop(); }

bool Emulator::start(std::vector<std::string> command,
                     const std::string& folder) {
  port_ = free_port();
  std::vector<char*> pointers;
  for (std::string& argument : command) {
    replace(&argument, "{port}", std::to_string(port_));
    replace(&argument, "{folder}", folder);
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  const std::string log = folder + "/log";
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  for (int i = 0; i < kSecondsToStart * 20; ++i) {
    if (answers(port_)) return true;
    if (waitpid(process_, nullptr, WNOHANG) == process_) {
      process_ = -1;
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

void Emulator::stop() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

}  // namespace systolic::testing
