#include "systolic/runtime/executable.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/message.h"
#include "systolic/base/trace.h"
#include "systolic/pjrt/error.h"
#include "systolic/pjrt/functions.h"
#include "systolic/runtime/client_impl.h"
#include "systolic/runtime/counters.h"
#include "systolic/runtime/deadline.h"
#include "systolic/runtime/executable_impl.h"
#include "systolic/runtime/untold.h"
#include "systolic/runtime/usage.h"

namespace systolic::internal::runtime {
namespace {

using Arguments = std::span<const std::vector<BufferPtr>>;
namespace abi = pjrt::abi;

// The handle lists of a launch, kept by each thread for its next one.
struct Lists {
  std::vector<abi::Buffer*> arguments;
  std::vector<abi::Buffer* const*> argument_lists;
  std::vector<abi::Buffer*> outputs;
  std::vector<abi::Buffer**> output_lists;

  void fill(Arguments by_replica, size_t num_outputs) {
    const size_t replicas = by_replica.size();
    const size_t count = by_replica.front().size();
    arguments.resize(replicas * count);
    outputs.assign(replicas * num_outputs, nullptr);
    argument_lists.resize(replicas);
    output_lists.resize(replicas);
    for (size_t r = 0; r < replicas; ++r) {
      for (size_t i = 0; i < count; ++i) {
        arguments[r * count + i] = by_replica[r][i]->pjrt().raw();
      }
      argument_lists[r] = arguments.data() + r * count;
      output_lists[r] = outputs.data() + r * num_outputs;
    }
  }
};

[[noreturn]] void throw_wrong_launch(const std::string& what) {
  throw InternalError("launch: " + what);
}

void check_counts(const Executable::Impl& program, Arguments arguments,
                  std::span<const TensorSpec> output_specs) {
  const size_t replicas = program.devices.empty() ? 1 : program.devices.size();
  if (arguments.size() != replicas) {
    throw_wrong_launch(std::to_string(arguments.size()) +
                       " argument lists for a program of " +
                       std::to_string(replicas) + " replicas");
  }
  for (const auto& list : arguments) {
    if (list.size() != arguments.front().size()) {
      throw_wrong_launch("the replicas have different numbers of arguments");
    }
  }
  if (output_specs.size() != program.num_outputs) {
    throw_wrong_launch(std::to_string(output_specs.size()) +
                       " output specs for a program of " +
                       std::to_string(program.num_outputs) + " outputs");
  }
}

// Marks what a launch takes, and takes the marks back unless it is committed.
// A buffer that is gone already, or that the launch needs twice, is refused:
// plugins crash on it.
class DonationMarks {
 public:
  DonationMarks(const Executable::Impl& program, Arguments arguments,
                std::span<const int64_t> kept)
      : donated_(program.donated), arguments_(arguments), kept_(kept) {
    for (size_t r = 0; r < arguments_.size(); ++r) mark_list(r);
    for (const auto& list : arguments_) check_list(list);
  }
  ~DonationMarks() {
    if (!committed_) undo();
  }
  DonationMarks(const DonationMarks&) = delete;
  DonationMarks& operator=(const DonationMarks&) = delete;

  void commit() { committed_ = true; }

 private:
  bool takes(int64_t argument) const {
    return std::find(kept_.begin(), kept_.end(), argument) == kept_.end();
  }

  void mark_list(size_t replica) {
    const auto& list = arguments_[replica];
    for (int64_t argument : donated_) {
      const auto position = static_cast<size_t>(argument);
      if (position >= list.size()) refuse("a donated argument is missing");
      if (!takes(argument)) continue;
      if (list[position]->exchange_donated(true)) {
        refuse("argument " + std::to_string(argument) +
               " is donated twice, or was donated before");
      }
      marked_.push_back(list[position].get());
    }
  }

  void check_list(const std::vector<BufferPtr>& list) {
    size_t next = 0;  // in donated_, which rises
    for (size_t i = 0; i < list.size(); ++i) {
      const bool is_donor =
          next < donated_.size() && static_cast<size_t>(donated_[next]) == i;
      if (is_donor) ++next;
      if (is_donor && takes(static_cast<int64_t>(i))) continue;
      if (list[i]->is_donated()) {
        refuse("argument " + std::to_string(i) +
               " was donated, to this launch or before");
      }
    }
  }

  [[noreturn]] void refuse(const std::string& why) {
    undo();
    marked_.clear();
    throw_wrong_launch(why);
  }

  // A launch that failed half-way may have taken the memory all the same.
  void undo() noexcept {
    for (DeviceBuffer* buffer : marked_) {
      bool is_gone = false;
      try {
        is_gone = buffer->pjrt().is_deleted();
      } catch (const PlatformError&) {
        is_gone = true;
      }
      buffer->exchange_donated(is_gone);
    }
  }

  const std::vector<int64_t>& donated_;
  Arguments arguments_;
  std::span<const int64_t> kept_;
  std::vector<DeviceBuffer*> marked_;
  bool committed_ = false;
};

Device portable_device(const Executable::Impl& program, Arguments arguments,
                       const LaunchOptions& options) {
  if (options.execute_device != nullptr) return *options.execute_device;
  if (!arguments.front().empty()) return arguments.front().front()->device();
  return program.client->device(0);
}

// The turn of a launch on its devices: it starts once few enough launches
// before it are left, and ends on each device when its completion event fires,
// at the latest. A failure is kept for those who look at no value.
class Turn {
 public:
  // Waits until `is_free` says so of the launches that are left.
  template <class IsFree>
  Turn(const Executable::Impl& program, std::vector<Device> devices,
       const LaunchWork& work, const IsFree& is_free)
      : client_(program.client->impl()) {
    const TraceScope scope("wait for the launch before");
    std::unique_lock lock(client_.running_mutex);
    if (!is_free(client_.running)) wait(lock, program, is_free);
    for (const Device& device : devices) ++client_.running[device.index];
    UsageRecorder::instance().begin(devices, work);
    held_ = std::move(devices);
  }
  ~Turn() {
    for (const Device& device : held_) end(client_, device);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // How long it waited, in nanoseconds.
  int64_t waited() const { return waited_; }

  // From now on the events end the turn; throws PlatformError where one can
  // not be watched, after all others are.
  void hand_over(const std::vector<pjrt::Event>& complete,
                 std::string_view name) {
    const std::vector<Device> devices = std::exchange(held_, {});
    std::exception_ptr first;
    for (size_t i = 0; i < devices.size(); ++i) {
      // The client lives until the process ends, so the callback may use it.
      const auto done =
          [&client = client_, device = devices[i],
           name = std::string(name)](const std::exception_ptr& failure) {
            note_failure(failure, name);
            end(client, device);
          };
      try {
        complete[i].on_ready(done);
      } catch (...) {
        done(nullptr);
        if (first == nullptr) first = std::current_exception();
      }
    }
    if (first != nullptr) std::rethrow_exception(first);
  }

 private:
  template <class IsFree>
  void wait(std::unique_lock<std::mutex>& lock, const Executable::Impl& program,
            const IsFree& is_free) {
    const int64_t start = trace_clock();
    const Deadline deadline;
    const bool is_now = client_.one_ended.wait_for(
        lock, deadline.left(), [&] { return is_free(client_.running); });
    if (!is_now) refuse(program, deadline);
    waited_ = trace_clock() - start;
  }

  static void end(Client::Impl& client, const Device& device) {
    UsageRecorder::instance().end(device);
    const std::lock_guard lock(client.running_mutex);
    const auto left = client.running.find(device.index);
    if (--left->second == 0) client.running.erase(left);
    client.one_ended.notify_all();
  }

  [[noreturn]] void refuse(const Executable::Impl& program,
                           const Deadline& deadline) const {
    std::vector<std::string> missing;
    for (const auto& [index, count] : client_.running) {
      missing.push_back(Device{program.client, index}.name());
    }
    throw_late("launch", "the end of the program before", missing, deadline);
  }

  Client::Impl& client_;
  std::vector<Device> held_;
  int64_t waited_ = 0;
};

// Takes what a launch gave, all of it before any complaint.
std::vector<std::vector<BufferPtr>> take_outputs(
    const Executable::Impl& program, const Lists& lists,
    std::span<const TensorSpec> specs, const Device& portable) {
  const abi::Api* api = program.program.api();
  std::vector<std::vector<BufferPtr>> outputs(lists.output_lists.size());
  bool is_whole = true;
  for (size_t r = 0; r < outputs.size(); ++r) {
    const Device device =
        program.devices.empty() ? portable : program.devices[r];
    outputs[r].reserve(program.num_outputs);
    for (size_t i = 0; i < program.num_outputs; ++i) {
      is_whole = is_whole && lists.output_lists[r][i] != nullptr;
      outputs[r].push_back(std::make_shared<DeviceBuffer>(
          pjrt::Buffer(api, lists.output_lists[r][i]), specs[i], device));
    }
  }
  if (!is_whole) pjrt::throw_nothing_given(pjrt::kLoadedExecute.name);
  return outputs;
}

// Starts a program in its turn and takes its outputs.
template <class Take>
auto execute_in_turn(Turn& turn, const Executable::Impl& program,
                     pjrt::LaunchCall call, std::string_view name,
                     const Take& take) {
  std::vector<abi::Event*> raw(call.arguments.size());
  call.complete = raw;
  try {
    program.program.execute(call);
  } catch (const PlatformError& error) {
    note_told(error);  // of one before, whose values are its arguments
    throw;
  }
  std::vector<pjrt::Event> complete;
  complete.reserve(raw.size());
  for (abi::Event* event : raw) {
    complete.emplace_back(program.program.api(), event);
  }
  auto outputs = take();
  turn.hand_over(complete, name);
  return outputs;
}

// Starts a program and gives what `take` takes of it; options.most_in_flight
// launches may be left on each of its devices then, or any number if it is 0.
template <class Take>
auto execute(const Executable::Impl& program, const pjrt::LaunchCall& call,
             const Device& portable, const LaunchOptions& options,
             const LaunchWork& work, const Take& take) {
  const int64_t start = trace_clock();
  Client::Impl& client = program.client->impl();
  const bool is_alone = call.arguments.size() == 1;
  std::unique_lock lock(client.launch_mutex, std::defer_lock);
  if (!is_alone) lock.lock();
  const bool is_virtual =
      !is_alone && client.platform.has(Capability::virtual_devices);
  std::vector<Device> devices = program.devices;
  if (devices.empty()) devices.push_back(portable);
  Turn turn(program, devices, work, [&](const std::map<int, int>& running) {
    const int most = options.most_in_flight;
    if (!is_virtual && most == 0) return true;
    if (is_virtual) return running.empty();
    return std::ranges::all_of(devices, [&](const Device& device) {
      const auto left = running.find(device.index);
      return left == running.end() || left->second < most;
    });
  });
  auto outputs = execute_in_turn(turn, program, call, options.name, take);
  program.usage->last_launch.store(start, std::memory_order_relaxed);
  UsageRecorder::instance().add_launch(trace_clock() - start - turn.waited());
  return outputs;
}

// What a launch does on each device: its loops turn as often as scalars among
// the arguments say, where the host has sent those.
LaunchWork work_of(const Executable::Impl& program, Arguments arguments) {
  LaunchWork work{.bytes_accessed = program.bytes_accessed};
  if (program.work.loops.empty()) {
    work.amount = program.work.amount;
  } else {
    work.amount = program.work.total([&](int argument) {
      const auto position = static_cast<size_t>(argument);
      const auto& list = arguments.front();
      return position < list.size() ? list[position]->host_integer()
                                    : std::nullopt;
    });
  }
  // The compiler counts one turn of each loop.
  if (work.bytes_accessed && program.work.flops_once > 0) {
    *work.bytes_accessed *= work.amount.flops / program.work.flops_once;
  }
  return work;
}

// Records the devices' work once it has ended.
void trace_work(std::span<const std::vector<BufferPtr>> outputs,
                std::string_view name, int64_t since) {
  if (name.empty()) name = "program";
  for (const std::vector<BufferPtr>& values : outputs) {
    if (values.empty()) continue;
    const std::string device = values.front()->device().name();
    const int64_t number = begin_device_work(device, name, since);
    const auto ended = [device, number](const std::exception_ptr&) {
      end_device_work(device, number);
    };
    values.front()->pjrt().ready().on_ready(ended);
  }
}

}  // namespace

Executable::Executable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Executable::~Executable() = default;

int Executable::num_outputs() const {
  return static_cast<int>(impl_->num_outputs);
}

int Executable::num_replicas() const {
  return impl_->devices.empty() ? 1 : static_cast<int>(impl_->devices.size());
}

bool Executable::is_portable() const { return impl_->devices.empty(); }

const std::vector<Device>& Executable::devices() const {
  return impl_->devices;
}

const std::vector<int64_t>& Executable::donated_arguments() const {
  return impl_->donated;
}

double Executable::compile_seconds() const { return impl_->compile_seconds; }

std::string Executable::serialize() const {
  return impl_->program.executable().serialize();
}

std::vector<std::vector<BufferPtr>> launch(
    Executable& executable, Arguments arguments,
    std::span<const TensorSpec> output_specs, const LaunchOptions& options) {
  const TraceScope scope("launch");
  const int64_t since = scope.is_on() ? trace_clock() : 0;
  Executable::Impl& program = executable.impl();
  check_counts(program, arguments, output_specs);
  DonationMarks marks(program, arguments, options.non_donatable);

  static thread_local Lists lists;
  lists.fill(arguments, program.num_outputs);
  Device portable;
  pjrt::LaunchCall call{.arguments = lists.argument_lists,
                        .num_arguments = arguments.front().size(),
                        .outputs = lists.output_lists,
                        .non_donatable = options.non_donatable};
  if (program.devices.empty()) {
    portable = portable_device(program, arguments, options);
    call.device = program.client->impl()
                      .devices[static_cast<size_t>(portable.index)]
                      .raw();
  }
  const bool is_first = !program.was_launched.exchange(true);
  // Called once the program runs: what it takes is gone.
  const auto take = [&] {
    marks.commit();
    counters().launches += 1;
    auto outputs = take_outputs(program, lists, output_specs, portable);
    if (scope.is_on()) trace_work(outputs, options.name, since);
    return outputs;
  };
  auto outputs = execute(program, call, portable, options,
                         work_of(program, arguments), take);
  if (is_first) Client::Impl::wait_before_exit();
  return outputs;
}

}  // namespace systolic::internal::runtime
