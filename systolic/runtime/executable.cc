#include "systolic/runtime/executable.h"

#include <algorithm>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/base/message.h"
#include "systolic/runtime/client_impl.h"
#include "systolic/runtime/counters.h"
#include "systolic/runtime/executable_impl.h"

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

// Starts a program of several devices once the one before it has ended.
void execute_alone(const Executable::Impl& program, Client::Impl& client,
                   pjrt::LaunchCall call) {
  std::vector<pjrt::abi::Event*> raw(call.arguments.size());
  call.complete = raw;
  {
    std::unique_lock running(client.running_mutex);
    client.all_done.wait(running, [&] { return client.running == 0; });
    client.running = raw.size();
  }
  const auto done = [&client](size_t devices) {
    const std::lock_guard running(client.running_mutex);
    client.running -= devices;
    if (client.running == 0) client.all_done.notify_all();
  };
  try {
    program.program.execute(call);
  } catch (...) {
    done(raw.size());
    throw;
  }
  for (pjrt::abi::Event* event : raw) {
    // The client lives until the process ends, so the callback may use it.
    pjrt::Event(program.program.api(), event)
        .on_ready([done](const std::exception_ptr&) { done(1); });
  }
}

void execute(const Executable::Impl& program, const pjrt::LaunchCall& call) {
  if (call.arguments.size() == 1) {
    program.program.execute(call);
    return;
  }
  Client::Impl& client = program.client->impl();
  const std::lock_guard lock(client.launch_mutex);
  if (client.platform.has(Capability::virtual_devices)) {
    execute_alone(program, client, call);
  } else {
    program.program.execute(call);
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
  execute(program, call);
  marks.commit();
  counters().launches += 1;

  const abi::Api* api = program.program.api();
  std::vector<std::vector<BufferPtr>> outputs(arguments.size());
  for (size_t r = 0; r < outputs.size(); ++r) {
    const Device device =
        program.devices.empty() ? portable : program.devices[r];
    outputs[r].reserve(program.num_outputs);
    for (size_t i = 0; i < program.num_outputs; ++i) {
      outputs[r].push_back(std::make_shared<DeviceBuffer>(
          pjrt::Buffer(api, lists.output_lists[r][i]), output_specs[i],
          device));
    }
  }
  return outputs;
}

}  // namespace systolic::internal::runtime
