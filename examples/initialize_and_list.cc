// Finds a TPU, makes it ready and lists its cores: here eight virtual ones of
// this machine; "" or "local" takes a real one. The log goes to stderr.
//
//   build/bin/initialize_and_list [NAME]
//
// Expected:
//   All devices: [LogicalDevice(name='/job:.../device:TPU:0', ...:TPU:7', ...)]
//   /job:localhost/replica:0/task:0/device:CPU:0
//   /job:localhost/replica:0/task:0/device:TPU:0
//   /job:localhost/replica:0/task:0/device:TPU:1
//   /job:localhost/replica:0/task:0/device:TPU:2
//   /job:localhost/replica:0/task:0/device:TPU:3
//   /job:localhost/replica:0/task:0/device:TPU:4
//   /job:localhost/replica:0/task:0/device:TPU:5
//   /job:localhost/replica:0/task:0/device:TPU:6
//   /job:localhost/replica:0/task:0/device:TPU:7
//   cores: 8, hosts: 1
#include <systolic/systolic.h>

#include <iostream>
#include <string>

using namespace systolic;

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "virtual:v3-8";
  // [initialise]
  distribute::TPUClusterResolver resolver(name);
  distribute::connect_to_cluster(resolver);
  // This is the TPU initialization code that has to be at the beginning.
  distribute::initialize_tpu_system(resolver);
  std::cout << "All devices: " << list_logical_devices("TPU") << "\n";
  // [initialise]
  for (const LogicalDevice& device : list_logical_devices()) {
    std::cout << device.name << "\n";
  }
  const auto metadata = resolver.get_tpu_system_metadata();
  std::cout << "cores: " << metadata.num_cores
            << ", hosts: " << metadata.num_hosts << "\n";
}
