#include "tests/storage/hdfs_cluster.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "systolic/io/file_system.h"

namespace systolic::testing {
namespace {

constexpr std::chrono::seconds kToStart{120};

std::string java_home() {
  std::ifstream file(hdfs_folder() + "/java_home");
  std::string line;
  std::getline(file, line);
  return line;
}

std::string property(const std::string& name, const std::string& value) {
  return "<property><name>" + name + "</name><value>" + value +
         "</value></property>";
}

}  // namespace

std::string HdfsClient::settings() {
  static const TemporaryFolder folder;
  return folder.path().string();
}

HdfsClient::HdfsClient(const std::string& classes)
    : java_("JAVA_HOME", java_home()),
      library_("ARROW_LIBHDFS_DIR", hdfs_folder() + "/lib"),
      // Less memory than some test gives to be written at once.
      options_("LIBHDFS_OPTS", "-Xmx64m"),
      classes_("CLASSPATH", settings() + ":" + classes) {}

HdfsCluster::HdfsCluster()
    : emulator_(
          {hdfs_folder() + "/bin/cluster", "{folder}", "-format", "-datanodes",
           "1", "-nnport", "{port}", "-writeDetails", "{folder}/ready",
           "-writeConfig", "{folder}/settings", "-D", "dfs.replication.max=1"},
          folder_.path().string()) {
  std::ofstream(HdfsClient::settings() + "/core-site.xml")
      << "<configuration>" << property("fs.defaultFS", url())
      << property("dfs.replication", "1")
      << property("dfs.client.retry.window.base", "10") << "</configuration>";
  // The name node answers before the data node is there.
  const auto end = std::chrono::steady_clock::now() + kToStart;
  while (!std::filesystem::exists(folder_.path() / "ready")) {
    if (std::chrono::steady_clock::now() > end) {
      throw std::runtime_error("the cluster does not start");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

std::string HdfsCluster::url() const {
  return "hdfs://127.0.0.1:" + std::to_string(emulator_.port());
}

std::string HdfsCluster::pages_url() const {
  const std::string settings =
      io::read_file((folder_.path() / "settings").string());
  const std::string begin = "<name>dfs.namenode.http-address</name><value>";
  const size_t at = settings.find(begin) + begin.size();
  return "hdfs://" + settings.substr(at, settings.find('<', at) - at);
}

void HdfsCluster::lose_blocks() const {
  std::vector<std::filesystem::path> blocks;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder_.path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("blk_")) blocks.push_back(entry.path());
  }
  for (const auto& block : blocks) std::filesystem::remove(block);
}

}  // namespace systolic::testing
