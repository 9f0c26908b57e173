// The plugin's entry, its errors and events, and what a test can wish for.
// Tested by: tests/fake_plugin/failures_test.cc
#include <algorithm>
#include <cstring>

#include "tests/fake_plugin/plugin/table.h"

namespace systolic::internal::pjrt::fake {
namespace {

std::vector<std::shared_ptr<EventState>>& unfired() {
  static std::vector<std::shared_ptr<EventState>> states;
  return states;
}

// The bytes of the table as it is before a test writes to it.
std::vector<std::byte>& whole_table() {
  static std::vector<std::byte> bytes;
  return bytes;
}

abi::Error* error_of(const EventState& state) {
  if (!state.has_failed) return nullptr;
  return new abi::Error(control().wishes.code, "the event has failed");
}

void fire(EventState& state) {
  if (state.at_last) state.at_last();
  std::vector<std::pair<abi::EventCallback*, void*>> callbacks;
  {
    const std::lock_guard lock(state.mutex);
    state.has_fired = true;
    callbacks.swap(state.callbacks);
    state.changed.notify_all();
  }
  for (const auto& [callback, arg] : callbacks) callback(error_of(state), arg);
}

void reset() {
  const std::vector<std::shared_ptr<EventState>> states =
      std::exchange(unfired(), {});
  for (const auto& state : states) fire(*state);
  Control& to_reset = control();
  to_reset.wishes = {};
  to_reset.calls = {};
  std::memcpy(to_reset.api, whole_table().data(), whole_table().size());
}

// --- errors ----------------------------------------------------------------

void error_destroy(abi::NounArgs<abi::Error>* args) { delete args->noun; }

void error_message(abi::ListArgs<abi::Error, char>* args) {
  args->items = args->noun->message.data();
  args->count = args->noun->message.size();
}

abi::Error* error_code(abi::GetArgs<abi::Error, int32_t>* args) {
  args->value = args->noun->code;
  return nullptr;
}

// --- the plugin ------------------------------------------------------------

abi::Error* initialize(abi::PluginInitializeArgs*) { return nullptr; }

abi::Error* attributes(abi::PluginAttributesArgs* args) {
  static constexpr char kName[] = "xla_version";
  static abi::NamedValue value{};
  value.struct_size = sizeof(value);
  value.name = kName;
  value.name_size = std::strlen(kName);
  value.type = abi::NamedValueType::int64;
  value.int64_value = 2;
  value.value_size = 1;
  args->attributes = &value;
  args->num_attributes = 1;
  return nullptr;
}

// --- events ----------------------------------------------------------------

abi::Error* event_destroy(abi::NounArgs<abi::Event>* args) {
  delete args->noun;
  return nullptr;
}

abi::Error* event_is_ready(abi::GetArgs<abi::Event, bool>* args) {
  const std::lock_guard lock(args->noun->state->mutex);
  args->value = args->noun->state->has_fired;
  return nullptr;
}

abi::Error* event_await(abi::NounArgs<abi::Event>* args) {
  EventState& state = *args->noun->state;
  std::unique_lock lock(state.mutex);
  state.changed.wait(lock, [&] { return state.has_fired; });
  return error_of(state);
}

abi::Error* event_on_ready(abi::EventOnReadyArgs* args) {
  EventState& state = *args->event->state;
  {
    const std::lock_guard lock(state.mutex);
    if (!state.has_fired) {
      state.callbacks.emplace_back(args->callback, args->user_arg);
      return nullptr;
    }
  }
  args->callback(error_of(state), args->user_arg);
  return nullptr;
}

}  // namespace

Control& control() {
  static Control the_control;
  return the_control;
}

std::set<const void*>& all_objects() {
  static auto* objects = new std::set<const void*>;
  return *objects;
}

FakeApi& table() {
  static FakeApi the_table;
  return the_table;
}

abi::Error* refuse(const std::string& why) {
  constexpr int kInvalidArgument = 3;
  return new abi::Error(kInvalidArgument, why);
}

abi::Event* make_event(const Events& how, const abi::Device* device,
                       std::function<void()> work) {
  auto* event = new abi::Event;
  event->state = std::make_shared<EventState>();
  const bool is_meant = how.device < 0 || device == nullptr ||
                        device->description.id == how.device;
  const Firing firing = is_meant ? how.firing : Firing::at_once;
  event->state->has_failed = firing == Firing::failing;
  event->state->has_fired = firing != Firing::never;
  if (firing == Firing::never) {
    event->state->at_last = std::move(work);
    unfired().push_back(event->state);
  } else if (work) {
    work();
  }
  return event;
}

void install_basics() {
  table().set(kErrorDestroy, &error_destroy);
  table().set(kErrorMessage, &error_message);
  control().names[kErrorDestroy.index] = kErrorDestroy.name;
  control().names[kErrorMessage.index] = kErrorMessage.name;
  install<kErrorGetCode, &error_code>();
  install<kPluginInitialize, &initialize>();
  install<kPluginAttributes, &attributes>();
  install<kEventDestroy, &event_destroy>();
  install<kEventIsReady, &event_is_ready>();
  install<kEventAwait, &event_await>();
  install<kEventOnReady, &event_on_ready>();
}

void finish_table() {
  control().reset = &reset;
  control().api = table().api();
  const auto* start = reinterpret_cast<const std::byte*>(control().api);
  whole_table().assign(start, start + control().api->struct_size);
}

}  // namespace systolic::internal::pjrt::fake

namespace fake = systolic::internal::pjrt::fake;

extern "C" __attribute__((visibility("default"))) fake::Control*
fake_control() {
  return &fake::control();
}

extern "C" __attribute__((visibility("default")))
const systolic::internal::pjrt::abi::Api*
GetPjrtApi() {
  if (fake::control().api == nullptr) {
    fake::install_basics();
    fake::install_values();
    fake::install_programs();
    fake::finish_table();
  }
  return fake::table().api();
}
