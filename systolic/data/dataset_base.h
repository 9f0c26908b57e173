// What a data set is made of: a DatasetBase makes iterators, an IteratorBase
// hands out elements. Users meet them when they write a source of their own:
//   class Countdown : public data::DatasetBase { ... };
//   data::Dataset countdown(std::make_shared<Countdown>());
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/data/element.h"
#include "systolic/data/element_spec.h"
#include "systolic/data/iterator_context.h"
#include "systolic/data/iterator_state.h"

namespace systolic::data {

// Lets a transform choose: the number of parallel calls, or how many elements
// to prefetch.
inline constexpr int64_t AUTOTUNE = -1;
// shard(SHARD_HINT, SHARD_HINT): the place where auto_shard() shares out, with
// AutoShardPolicy::hint.
inline constexpr int64_t SHARD_HINT = -1;
// The cardinality of a data set without end.
inline constexpr int64_t INFINITE_CARDINALITY = -1;
// The cardinality of a data set whose length is not known before it is read.
inline constexpr int64_t UNKNOWN_CARDINALITY = -2;

// A position in a data set. Used by one thread at a time; its calls may come
// from different threads.
class IteratorBase {
 public:
  virtual ~IteratorBase() = default;

  // Puts the next element into `*out`, or returns false at the end. What it
  // throws belongs to one element: the next call goes on behind it.
  virtual bool get_next(Element* out) = 0;

  // Puts the next `count` or, at the end, fewer elements into `*out` as one
  // batch and returns their number; kNoBlocks where that is no cheaper than
  // get_next.
  virtual int64_t get_block(int64_t /*count*/, Element* /*out*/) {
    return kNoBlocks;
  }
  static constexpr int64_t kNoBlocks = -1;
  // Whether the next element is made: get_next will not wait, nor work.
  virtual bool is_at_hand() const { return false; }
  // The reader will stack the next `rows` elements before it does anything
  // else.
  virtual void begin_batch(int64_t /*rows*/) {}

  // Writes the position, so that a new iterator of an equal pipeline that
  // restores it goes on with the element behind the last one given; this
  // iterator goes on as before. Throws TypeError unless overridden.
  virtual void save(StateWriter& state) { state.throw_unsupported(); }
  // Takes over a position; called before the first element is read. Throws
  // ValueError for the state of another pipeline.
  virtual void restore(StateReader& state) { state.throw_unsupported(); }
};

// One node of a pipeline: immutable, shared by all that read it. An iterator
// does not outlive the node that made it.
class DatasetBase {
 public:
  virtual ~DatasetBase() = default;

  // What errors call the node: `map`, or `map "decode"` with a user's name.
  virtual std::string name() const = 0;
  // A new pass from the first element.
  virtual std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const = 0;
  // The number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY.
  virtual int64_t cardinality() const = 0;
  // The spec that every element has; may make the first element to find out.
  virtual ElementSpec element_spec() const = 0;
  // The part of element_spec() that is known without making an element.
  virtual ElementSpec structure() const { return element_spec(); }
  // Whether each pass has an order of its own.
  virtual bool reshuffles() const { return false; }
  // Whether other processes have another order: it depends on a seed that is
  // drawn anew in each of them.
  virtual bool has_own_order() const;

  // The nodes that this one reads: a node with inputs that is no TransformBase
  // says which, so that options and states find what is below it.
  virtual std::vector<const DatasetBase*> inputs() const { return {}; }
  // How many files a node lists that gives each host its part of them, by
  // IteratorContext::files (detail::shared_files); nothing for other nodes.
  virtual std::optional<int64_t> file_count() const { return std::nullopt; }
  // What tells the node from others of its name, for errors about states and
  // for snapshots: `buffer_size 100`. No seeds: a state brings its own.
  virtual std::string parameters() const { return {}; }
  // The part of them that elements depend on, for snapshots: not how many
  // threads make them. Nothing where the node hands on its input's elements.
  virtual std::optional<std::string> element_parameters() const {
    return parameters();
  }
  // Whether elements are made by a thread of the node's own, so that who reads
  // them runs no function of the user.
  virtual bool works_ahead() const { return false; }
  // Writes and reads what the node keeps from one pass to the next: how many
  // have begun, where that makes a difference. Not what its inputs keep.
  virtual void save_node(StateWriter& /*state*/) const {}
  virtual void restore_node(StateReader& /*state*/) const {}
  // Whether elements of a pass were seen to depend on random numbers that are
  // others in each pass; known while or after it is read.
  virtual bool randomizes() const;
  // The options of the with_options() in and below this node; where several
  // set one, the last does.
  virtual Options options() const;
};

namespace detail {

// Writes what tells a pipeline from others: of each node, from the last one on,
// its name, cardinality and parameters.
void save_pipeline(const DatasetBase& dataset, StateWriter& state);
// Throws ValueError, naming the node, where that of another pipeline follows.
void check_pipeline(const DatasetBase& dataset, StateReader& state);
// What tells its elements from those of others, as a text with a line for each
// node that makes a difference.
std::string describe_elements(const DatasetBase& dataset);
// Writes save_node() of each node, whether or not an iterator is at it.
void save_nodes(const DatasetBase& dataset, StateWriter& state);
// Takes that over; behind the restoring of iterators, which begin passes.
void restore_nodes(const DatasetBase& dataset, StateReader& state);
// Writes and takes over all of a pass: these and, between them, the iterator.
void save_pass(const DatasetBase& dataset, IteratorBase& iterator,
               StateWriter& state);
void restore_pass(const DatasetBase& dataset, IteratorBase& iterator,
                  StateReader& state);

// What errors call a node: `map`, or `map "decode"` with a user's name.
std::string node_name(std::string kind, const std::string& user_name);

}  // namespace detail

// A node that reads one other and, unless it says otherwise, has as many
// elements of the same spec.
class TransformBase : public DatasetBase {
 public:
  // `kind` is the transform's name, `user_name` the one given in its options.
  TransformBase(std::shared_ptr<const DatasetBase> input, std::string kind,
                const std::string& user_name = "");

  std::string name() const final { return name_; }
  int64_t cardinality() const override { return input_->cardinality(); }
  ElementSpec element_spec() const override { return input_->element_spec(); }
  ElementSpec structure() const override { return input_->structure(); }
  std::vector<const DatasetBase*> inputs() const override {
    return {input_.get()};
  }

 protected:
  const DatasetBase& input() const { return *input_; }

 private:
  std::shared_ptr<const DatasetBase> input_;
  std::string name_;
};

}  // namespace systolic::data
