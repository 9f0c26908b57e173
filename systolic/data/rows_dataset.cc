// Tested by: systolic/data/window_test.cc
#include "systolic/data/rows_dataset.h"

#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/spec_tree.h"

namespace systolic::data::detail {
namespace {

// The items to go down by, from an element to a part of it.
using Path = std::vector<size_t>;

const Element& part_of(const std::string& name, const Element& element,
                       const Path& path) {
  const Element* part = &element;
  for (size_t item : path) {
    if (item >= part->items().size()) {
      internal::Message(name)
          .expected("elements of one window to have the same tree")
          .got(element.spec(), ", which has no item ", item)
          .raise<TypeError>();
    }
    part = &part->items()[item];
  }
  return *part;
}

class RowsIterator final : public IteratorBase {
 public:
  RowsIterator(std::string name, Rows rows, Path path)
      : name_(std::move(name)),
        rows_(std::move(rows)),
        path_(std::move(path)) {}

  bool get_next(Element* out) override {
    if (next_ == rows_->size()) return false;
    *out = part_of(name_, (*rows_)[next_++], path_);
    return true;
  }

  void save(StateWriter& state) override {
    state.begin(name_);
    state.write_int(static_cast<int64_t>(next_));
  }
  void restore(StateReader& state) override {
    state.expect(name_);
    next_ = static_cast<size_t>(state.read_int());
    if (next_ > rows_->size()) {
      state.throw_mismatch("at most " + std::to_string(rows_->size()) + " rows",
                           std::to_string(next_));
    }
  }

 private:
  const std::string name_;
  const Rows rows_;
  const Path path_;
  size_t next_ = 0;
};

class RowsDataset final : public DatasetBase {
 public:
  RowsDataset(std::string name, Rows rows, Path path, ElementSpec spec = {})
      : name_(std::move(name)),
        rows_(std::move(rows)),
        path_(std::move(path)),
        spec_(std::move(spec)) {}

  std::string name() const override { return name_; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext&) const override {
    return std::make_unique<RowsIterator>(name_, rows_, path_);
  }
  int64_t cardinality() const override {
    return static_cast<int64_t>(rows_->size());
  }
  ElementSpec element_spec() const override {
    if (spec_.kind() != ElementKind::unknown || rows_->empty()) return spec_;
    return with_unknown_lengths(part_of(name_, (*rows_)[0], path_).spec());
  }
  std::vector<Element> parts() const {
    std::vector<Element> parts;
    for (const Element& row : *rows_)
      parts.push_back(part_of(name_, row, path_));
    return parts;
  }

 private:
  const std::string name_;
  const Rows rows_;
  const Path path_;
  const ElementSpec spec_;
};

Element tree_at(const std::string& name, const Rows& rows, Path* path) {
  const Element& model = part_of(name, (*rows)[0], *path);
  if (model.items().empty()) {
    return Element::dataset(std::make_shared<RowsDataset>(name, rows, *path));
  }
  std::vector<Element> items;
  for (size_t i = 0; i < model.items().size(); ++i) {
    path->push_back(i);
    items.push_back(tree_at(name, rows, path));
    path->pop_back();
  }
  return Element::like(model, std::move(items));
}

}  // namespace

std::shared_ptr<const DatasetBase> rows_dataset(const std::string& name,
                                                Rows rows,
                                                const ElementSpec& spec) {
  return std::make_shared<RowsDataset>(name, std::move(rows), Path(), spec);
}

std::optional<std::vector<Element>> rows_of(const DatasetBase& dataset) {
  const auto* rows = dynamic_cast<const RowsDataset*>(&dataset);
  if (rows == nullptr) return std::nullopt;
  return rows->parts();
}

Element rows_tree(const std::string& name, const Rows& rows) {
  Path path;
  return tree_at(name, rows, &path);
}

}  // namespace systolic::data::detail
