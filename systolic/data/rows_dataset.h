// A data set of elements that are at hand: the windows of window() and
// group_by_window().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/data/dataset_base.h"

namespace systolic::data::detail {

using Rows = std::shared_ptr<const std::vector<Element>>;

// The data set of `rows`, called `name` in errors. Their spec is `spec`; where
// that is unknown, that of the first row with unknown lengths.
std::shared_ptr<const DatasetBase> rows_dataset(const std::string& name,
                                                Rows rows,
                                                const ElementSpec& spec = {});

// The rows of what rows_dataset() or rows_tree() made, or nothing for another
// data set.
std::optional<std::vector<Element>> rows_of(const DatasetBase& dataset);

// The tree of the rows, at least one, with a data set of the parts that they
// have in its place at each leaf.
Element rows_tree(const std::string& name, const Rows& rows);

}  // namespace systolic::data::detail
