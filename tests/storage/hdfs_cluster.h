// A cluster of HDFS in a process of its own, and what hdfs:// needs to use it.
//   const HdfsCluster cluster;
//   io::read_file(cluster.url() + "/f");
#pragma once

#include <string>

#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"
#include "tests/storage/emulator.h"

namespace systolic::testing {

// What hdfs:// needs in the environment. Java looks at CLASSPATH at its start
// only, so of all of these in a process the first one counts.
class HdfsClient {
 public:
  // `classes` are those that scripts/install-hdfs has fetched, or others.
  explicit HdfsClient(const std::string& classes = hdfs_folder() + "/client/*");

  // The folder of Hadoop's settings, the same for all of a process.
  static std::string settings();

 private:
  const EnvironmentGuard java_;
  const EnvironmentGuard library_;
  const EnvironmentGuard options_;
  const EnvironmentGuard classes_;
};

// A name node and a data node.
class HdfsCluster {
 public:
  // Throws std::runtime_error where it does not start.
  HdfsCluster();

  // "hdfs://127.0.0.1:<port>", which Hadoop's settings know too.
  std::string url() const;
  int port() const { return emulator_.port(); }
  // The same with the port of the name node's web pages.
  std::string pages_url() const;

  // Takes the blocks of all files from the data node's disk.
  void lose_blocks() const;

 private:
  const TemporaryFolder folder_;
  const Emulator emulator_;
  const HdfsClient client_;
};

}  // namespace systolic::testing
