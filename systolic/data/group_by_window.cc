// group_by_window() and bucket_by_sequence_length(): elements of one kind
// gathered and given on together.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "systolic/base/element_seed.h"
#include "systolic/base/message.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_error.h"
#include "systolic/data/first_element.h"
#include "systolic/data/origin_scope.h"
#include "systolic/data/pass_seed.h"
#include "systolic/data/rows_dataset.h"
#include "systolic/data/spec_tree.h"

namespace systolic::data {
namespace {

struct GroupSettings {
  std::string who;
  const DatasetBase* node = nullptr;  // that has them
  detail::ElementFunction key;
  detail::DatasetFunction reduce;
  std::function<int64_t(int64_t)> window_size;
  std::string parameters = {};  // for DatasetBase::parameters()

  int64_t key_of(Element element, const PassSeed::Pass& pass,
                 int64_t index) const {
    const internal::ElementSeedScope scope(
        {pass.seed, pass.number, static_cast<uint64_t>(index)});
    return key.call(element).to<int64_t>();
  }
  // `window` counts the windows of a pass.
  std::shared_ptr<const DatasetBase> reduce_rows(int64_t window_key,
                                                 const detail::Rows& rows,
                                                 const ElementSpec& spec,
                                                 const PassSeed::Pass& pass,
                                                 int64_t window) const {
    // Other seeds than those of the keys.
    const internal::ElementSeedScope scope(
        {~pass.seed, pass.number, static_cast<uint64_t>(window)});
    Element arguments = Element::tuple(
        {Element(window_key),
         Element::dataset(detail::rows_dataset(who, rows, spec))});
    return reduce.call(arguments).node();
  }
};

class GroupIterator final : public IteratorBase {
 public:
  // `spec` is that of the input's elements.
  GroupIterator(const GroupSettings& settings, const ElementSpec& spec,
                const PassSeed::Pass& pass, const IteratorContext& context,
                std::unique_ptr<IteratorBase> input)
      : settings_(settings),
        spec_(spec),
        pass_(pass),
        context_(context),
        input_(std::move(input)) {}

  bool get_next(Element* out) override {
    while (!context_.stop.stop_requested()) {
      if (current_) {
        if (current_->get_next(out)) return true;
        if (context_.stop.stop_requested()) return false;
        close();
      }
      if (!ended_) {
        read_one();
      } else if (groups_.empty()) {
        return false;
      } else {
        flush(groups_.begin()->first);  // as tf.data: the smallest key first
      }
    }
    return false;
  }

  void save(StateWriter& state) override {
    state.begin(settings_.who);
    PassSeed::save(pass_, state);
    state.write_int(windows_);
    state.write_int(index_);
    state.write_bool(ended_);
    state.write_int(static_cast<int64_t>(groups_.size()));
    for (const auto& [key, rows] : groups_) {
      state.write_int(key);
      state.write_element(Element::tuple(rows));
    }
    state.write_bool(current_ != nullptr);
    if (current_) {
      state.write_int(key_);
      state.write_element(Element::tuple(*rows_));
      detail::save_pass(*dataset_, *current_, state);
    }
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(settings_.who);
    const auto read_rows = [&] {
      const Element rows = state.read_element();
      return std::vector<Element>(rows.items().begin(), rows.items().end());
    };
    pass_ = PassSeed::restore_pass(state);
    const int64_t windows = state.read_int();
    index_ = state.read_int();
    ended_ = state.read_bool();
    for (int64_t left = state.read_int(); left > 0; --left) {
      const int64_t key = state.read_int();
      groups_[key] = read_rows();
    }
    windows_ = windows;
    if (state.read_bool()) {
      --windows_;  // the one that is opened again
      const int64_t key = state.read_int();
      open(key, read_rows());
      detail::restore_pass(*dataset_, *current_, state);
    }
    input_->restore(state);
  }

 private:
  // Puts the next element into its group, and opens that if it is full.
  void read_one() {
    Element element;
    const int64_t index = index_++;
    if (!input_->get_next(&element)) {
      ended_ = true;
      return;
    }
    int64_t key = 0;
    int64_t size = 1;
    const detail::OriginScope origins(element);
    try {
      key = settings_.key_of(element, pass_, index);
      size = settings_.window_size(key);
      if (size < 1) {
        internal::Message("window_size")
            .expected("a window size >= 1")
            .got(size, " for the key ", key)
            .raise<ValueError>();
      }
    } catch (...) {
      throw_at(index, origins.text());
    }
    std::vector<Element>& group = groups_[key];
    group.push_back(std::move(element));
    // For the spec the first element does.
    if (context_.peek || static_cast<int64_t>(group.size()) >= size) {
      flush(key);
    }
  }

  void flush(int64_t key) {
    std::vector<Element> rows = std::move(groups_[key]);
    groups_.erase(key);
    try {
      open(key, std::move(rows));
    } catch (...) {
      throw_at(index_ - 1, {});
    }
  }

  void open(int64_t key, std::vector<Element> rows) {
    key_ = key;
    rows_ = std::make_shared<const std::vector<Element>>(std::move(rows));
    dataset_ = settings_.reduce_rows(key, rows_, spec_, pass_, windows_++);
    current_ =
        dataset_->make_iterator(context_.made_by(*settings_.node, *dataset_));
  }

  void close() {
    current_.reset();
    dataset_.reset();
    rows_.reset();
  }

  [[noreturn]] void throw_at(int64_t index, const std::string& origin) const {
    std::rethrow_exception(detail::error_for_element(
        std::current_exception(), settings_.who, index, origin));
  }

  const GroupSettings& settings_;
  const ElementSpec spec_;
  PassSeed::Pass pass_;
  const IteratorContext context_;
  std::unique_ptr<IteratorBase> input_;
  std::map<int64_t, std::vector<Element>> groups_;
  int64_t index_ = 0;
  int64_t windows_ = 0;  // that were opened
  bool ended_ = false;   // the input
  // The group that is given on.
  int64_t key_ = 0;
  detail::Rows rows_;
  std::shared_ptr<const DatasetBase> dataset_;
  std::unique_ptr<IteratorBase> current_;  // destroyed before the data set
};

class GroupDataset final : public TransformBase {
 public:
  GroupDataset(std::shared_ptr<const DatasetBase> input,
               const std::string& kind, const std::string& name,
               GroupSettings settings)
      : TransformBase(std::move(input), kind, name),
        settings_(std::move(settings)) {
    settings_.who = this->name();
    settings_.node = this;
    const ElementSpec structure = this->input().structure();
    detail::check_parameters(settings_.who, settings_.key.parameters,
                             structure);
    if (settings_.reduce.parameters.empty()) return;  // our own
    const ElementSpec key(TensorSpec{DType::int64, Shape::scalar()});
    detail::check_parameters(
        settings_.who, settings_.reduce.parameters,
        ElementSpec::tuple({key, ElementSpec::dataset(structure)}));
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<GroupIterator>(
        settings_, row_spec(), context.peek ? PassSeed::Pass() : seeds_.begin(),
        context, input().make_iterator(context));
  }
  int64_t cardinality() const override {
    return input().cardinality() == 0 ? 0 : UNKNOWN_CARDINALITY;
  }
  ElementSpec element_spec() const override {
    // Windows of other keys may have other lengths.
    return spec_.get([this] {
      return detail::with_unknown_lengths(first_window()->element_spec());
    });
  }
  ElementSpec structure() const override { return ElementSpec(); }
  void save_node(StateWriter& state) const override { seeds_.save(state); }
  void restore_node(StateReader& state) const override {
    seeds_.restore(state);
  }
  std::string parameters() const override { return settings_.parameters; }

 private:
  // Lengths that are not known beforehand may differ from row to row.
  ElementSpec row_spec() const {
    const ElementSpec structure = input().structure();
    return structure.is_complete() ? structure : ElementSpec();
  }

  // What is made of a window of the first element alone, or of none.
  std::shared_ptr<const DatasetBase> first_window() const {
    auto rows = std::make_shared<std::vector<Element>>(1);
    int64_t key = 0;
    if (detail::first_element(input(), &(*rows)[0])) {
      key = settings_.key_of((*rows)[0], PassSeed::Pass(), 0);
    } else {
      rows->clear();
    }
    return settings_.reduce_rows(key, rows, row_spec(), PassSeed::Pass(), 0);
  }

  GroupSettings settings_;
  mutable PassSeed seeds_{internal::draw_pipeline_seed()};
  mutable detail::LazySpec spec_;
};

// The bucket of a length: how many boundaries it reaches.
int64_t bucket_of(const std::vector<int64_t>& boundaries, int64_t length) {
  return std::upper_bound(boundaries.begin(), boundaries.end(), length) -
         boundaries.begin();
}

void check_buckets(const std::string& who, const BucketOptions& options) {
  const std::vector<int64_t>& boundaries = options.bucket_boundaries;
  const bool rising =
      std::adjacent_find(boundaries.begin(), boundaries.end(),
                         std::greater_equal<int64_t>()) == boundaries.end();
  if (boundaries.empty() || !rising) {
    internal::Message(who)
        .expected("bucket_boundaries that rise, at least one")
        .got(boundaries.empty() ? "none" : Array::from(boundaries).to_string())
        .raise<ValueError>();
  }
  if (options.bucket_batch_sizes.size() != boundaries.size() + 1) {
    internal::Message(who)
        .expected("a batch size for each of the ", boundaries.size() + 1,
                  " buckets: one more than boundaries")
        .got(options.bucket_batch_sizes.size(), " bucket_batch_sizes")
        .raise<ValueError>();
  }
}

// What the shapes of a bucket are made of.
struct BucketShapes {
  int64_t longest = 0;
  // Whether the input's spec says which lengths differ; otherwise only the
  // first ones are the bucket's, others those of each batch.
  bool is_known = false;

  // Lengths that nobody set are the bucket's longest.
  Element fill(const Element& shapes) const {
    if (!shapes.is_array()) {
      std::vector<Element> items;
      for (const Element& item : shapes.items()) items.push_back(fill(item));
      return Element::like(shapes, std::move(items));
    }
    const auto lengths = shapes.array().span<int64_t>();
    std::vector<int64_t> filled(lengths.begin(), lengths.end());
    std::replace(filled.begin(), filled.end(), int64_t{-1}, longest);
    return Element(Array::from(filled));
  }

  // Shapes of elements with this spec.
  Element of(const ElementSpec& spec) const {
    if (spec.kind() == ElementKind::array) return of_array(spec);
    std::vector<Element> items;
    for (const ElementSpec& item : spec.items()) items.push_back(of(item));
    if (spec.kind() != ElementKind::dict) {
      return Element::tuple(std::move(items));
    }
    std::vector<std::pair<std::string, Element>> entries;
    for (size_t i = 0; i < items.size(); ++i) {
      entries.emplace_back(spec.keys()[i], std::move(items[i]));
    }
    return Element::dict(std::move(entries));
  }

  Element of_array(const ElementSpec& spec) const {
    std::vector<int64_t> lengths;
    const int rank = spec.array() ? spec.array()->shape.rank() : 0;
    for (int axis = 0; axis < rank; ++axis) {
      const int64_t length = spec.array()->shape[axis];
      const bool is_longest = length < 0 && (is_known || axis == 0);
      lengths.push_back(is_longest ? longest : length);
    }
    return Element(Array::from(lengths));
  }
};

Dataset batch_bucket(const BucketOptions& options, bool is_known,
                     int64_t bucket, const Dataset& window) {
  const auto index = static_cast<size_t>(bucket);
  const int64_t size = options.bucket_batch_sizes[index];
  if (options.no_padding) {
    return window.batch(size, {.drop_remainder = options.drop_remainder});
  }
  PaddedBatchOptions padding{.padded_shapes = options.padded_shapes,
                             .padding_values = options.padding_values,
                             .drop_remainder = options.drop_remainder};
  if (options.pad_to_bucket_boundary) {
    if (index == options.bucket_boundaries.size()) {
      internal::Message("bucket_by_sequence_length")
          .expected("lengths below the last boundary ",
                    options.bucket_boundaries.back(),
                    ", with pad_to_bucket_boundary")
          .got("a longer element")
          .hint("add a boundary, or filter() long elements out")
          .raise<ValueError>();
    }
    const BucketShapes shapes{options.bucket_boundaries[index] - 1, is_known};
    padding.padded_shapes = options.padded_shapes
                                ? shapes.fill(*options.padded_shapes)
                                : shapes.of(window.element_spec());
  }
  return window.padded_batch(size, padding);
}

}  // namespace

Dataset DatasetGrouping::group_elements(
    detail::ElementFunction key, detail::AdaptedFunction<Dataset> reduce,
    const GroupByWindowOptions& options) const {
  const bool has_size = options.window_size.has_value();
  const bool has_function = options.window_size_func != nullptr;
  if (has_size == has_function || (has_size && *options.window_size < 1)) {
    internal::Message("group_by_window")
        .expected("a window_size >= 1 or a window_size_func")
        .got(has_size ? (has_function ? "both"
                                      : std::to_string(*options.window_size))
                      : "none")
        .raise<ValueError>();
  }
  GroupSettings settings{.key = std::move(key),
                         .reduce = std::move(reduce),
                         .window_size = options.window_size_func};
  if (has_size) {
    settings.parameters =
        internal::concatenate_text("window_size ", *options.window_size);
    settings.window_size = [size = *options.window_size](int64_t) {
      return size;
    };
  }
  return Dataset(std::make_shared<GroupDataset>(
      node(), "group_by_window", options.name, std::move(settings)));
}

Dataset DatasetGrouping::bucket_elements(detail::ElementFunction length,
                                         const BucketOptions& options) const {
  const std::string who =
      detail::node_name("bucket_by_sequence_length", options.name);
  check_buckets(who, options);
  GroupSettings settings;
  settings.key = std::move(length);
  settings.key.call = [call = settings.key.call,
                       boundaries =
                           options.bucket_boundaries](Element& element) {
    return Element(bucket_of(boundaries, call(element).to<int64_t>()));
  };
  const bool is_known = node()->structure().is_complete();
  settings.reduce.call = [options, is_known](Element& arguments) {
    const auto items = std::as_const(arguments).items();
    return batch_bucket(options, is_known, items[0].to<int64_t>(),
                        Dataset(items[1].dataset()));
  };
  settings.parameters = internal::concatenate_text(
      "bucket_boundaries ", Array::from(options.bucket_boundaries),
      ", bucket_batch_sizes ", Array::from(options.bucket_batch_sizes));
  settings.window_size = [sizes = options.bucket_batch_sizes](int64_t bucket) {
    return sizes[static_cast<size_t>(bucket)];
  };
  return Dataset(std::make_shared<GroupDataset>(
      node(), "bucket_by_sequence_length", options.name, std::move(settings)));
}

}  // namespace systolic::data
