// An emulator of a storage service: a process of a test, on a port of its own.
//   Emulator gcs({emulators_python(), "-m", "gcp_storage_emulator", ...});
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace systolic::testing {

// The Python that scripts/install-emulators made; empty where it was not run.
std::string emulators_python();

// The program that is Microsoft's emulator, where npm was there to install it;
// else empty.
std::string azurite();

// The folder that scripts/install-hdfs made; empty where it was not run, or
// where the Java that it found is gone.
std::string hdfs_folder();

// Runs until it goes out of scope.
class Emulator {
 public:
  // Starts a program with arguments, in which "{port}" and "{folder}" are
  // replaced, and waits until the port answers. Throws std::runtime_error
  // where it does not.
  Emulator(const std::vector<std::string>& command, const std::string& folder);
  ~Emulator();
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  int port() const { return port_; }
  // "http://127.0.0.1:<port>".
  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_);
  }

 private:
  bool start(std::vector<std::string> command, const std::string& folder);
  void stop();

  int port_ = 0;
  pid_t process_ = -1;
};

}  // namespace systolic::testing
