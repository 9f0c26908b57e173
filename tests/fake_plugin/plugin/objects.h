// The objects of the fake plugin: what the C API's opaque nouns are there.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "systolic/pjrt/abi_buffer.h"
#include "systolic/pjrt/abi_program.h"
#include "tests/fake_plugin/control.h"

namespace systolic::internal::pjrt::fake {

Control& control();

// All objects: those that a table without Destroy leaves stay reachable.
std::set<const void*>& all_objects();

// Counts the objects of a class in one field of Live.
template <int64_t Live::*kField>
struct Counted {
  Counted() {
    control().live.*kField += 1;
    all_objects().insert(this);
  }
  ~Counted() {
    control().live.*kField -= 1;
    all_objects().erase(this);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
};

// What an event and its callbacks share; it outlives the event.
struct EventState {
  std::mutex mutex;
  std::condition_variable changed;
  bool has_fired = false;
  bool has_failed = false;
  std::vector<std::pair<abi::EventCallback*, void*>> callbacks;
  std::function<void()> at_last;  // what is done just before it fires
};

}  // namespace systolic::internal::pjrt::fake

namespace systolic::internal::pjrt::abi {

struct Error : fake::Counted<&fake::Live::errors> {
  Error(int code, std::string message)
      : code(code), message(std::move(message)) {}
  int code;
  std::string message;
};

struct Event : fake::Counted<&fake::Live::events> {
  std::shared_ptr<fake::EventState> state;
};

struct DeviceDescription {
  int id = 0;
  std::string kind = "fake";
  std::string text = "fake device";
};

struct Memory {};

struct Device {
  DeviceDescription description;
  Memory memory;
};

struct Client : fake::Counted<&fake::Live::clients> {
  explicit Client(int count);
  std::deque<Device> devices;
  std::vector<Device*> pointers;
};

struct Buffer : fake::Counted<&fake::Live::buffers> {
  std::vector<std::byte> bytes;
  std::vector<int64_t> dims;
  std::vector<int64_t> minor_to_major;
  BufferType type = BufferType::f32;
  Device* device = nullptr;
  bool is_deleted = false;
};

struct Executable : fake::Counted<&fake::Live::executables> {
  size_t outputs = 1;
  bool takes_first = false;
};

struct LoadedExecutable : fake::Counted<&fake::Live::loaded_executables> {
  size_t outputs = 1;
  bool takes_first = false;
  Device* device = nullptr;  // of a portable program
  Client* client = nullptr;
};

struct SerializedExecutable : fake::Counted<&fake::Live::serialized> {
  std::string bytes;
};

struct TopologyDescription : fake::Counted<&fake::Live::topologies> {
  DeviceDescription device;
  std::vector<DeviceDescription*> pointers{&device};
};

}  // namespace systolic::internal::pjrt::abi

namespace systolic::internal::pjrt::fake {

// A new event that fires as wished; `work` is done before it does.
abi::Event* make_event(const Events& how, const abi::Device* device,
                       std::function<void()> work = {});
// Null: the new error of an unknown device, program or option.
abi::Error* refuse(const std::string& why);

// Put the functions of a file into the table.
void install_basics();
void install_values();
void install_programs();
// After them: the table that reset() brings back.
void finish_table();

}  // namespace systolic::internal::pjrt::fake
