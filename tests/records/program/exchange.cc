// Reads and writes record files for tensorflow_test.py.
//   exchange copy IN TYPE OUT TYPE   the records of a file to another
//   exchange text IN TYPE            prints its Examples
//   exchange build OUT TYPE          writes Examples of fixed values
//   exchange sequences OUT TYPE      the same of SequenceExamples
//   exchange parse IN                prints the features of its Examples, one
//                                    by one and of all as a batch
//   exchange parse_sequences IN      the same of SequenceExamples
#include <iostream>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/records/records.h"

namespace {

using namespace systolic;

std::string type_of(const std::string& name) {
  return name == "NONE" ? "" : name;
}

std::string example(int64_t i) {
  return data::ExampleBuilder()
      .add("index", i)
      .add("floats", std::vector<float>{0.5f * static_cast<float>(i), -1.f})
      .add("ints", std::vector<int64_t>(static_cast<size_t>(i % 4), -i))
      .add("words", std::vector<std::string>{"word", std::to_string(i)})
      .serialize();
}

std::string sequence(int64_t i) {
  data::SequenceExampleBuilder builder;
  builder.add_context("index", i).add_list("steps");
  for (int64_t step = 0; step < i % 3; ++step) {
    builder.add_step("steps", std::vector<int64_t>{i, step});
  }
  return builder.serialize();
}

// The values of all arrays, a line each: "name dtype[shape]: values".
void print(const std::string& name, const data::Element& element) {
  if (!element.is_array()) {
    for (size_t i = 0; i < element.size(); ++i) {
      const std::string key =
          i < element.keys().size() ? element.keys()[i] : std::to_string(i);
      print(name + "/" + key, element[i]);
    }
    return;
  }
  const Array& array = element.array();
  std::cout << name << " " << array.spec().to_string() << ":";
  for (int64_t i = 0; i < array.size(); ++i) {
    const Array value = array.reshaped({array.size()})[{i}];
    if (array.dtype() == DType::string) {
      std::cout << " " << value.item<std::string>();
    } else {
      std::cout << " " << value.item<double>();
    }
  }
  std::cout << "\n";
}

// The same features are in tensorflow_test.py.
data::Features features() {
  using Rows = data::RaggedFeature;
  const auto rows = [](std::vector<data::RaggedPartition> partitions) {
    return Rows(DType::int64, "v", std::move(partitions));
  };
  return {
      {"ints", data::VarLenFeature(DType::int64)},
      {"floats", data::VarLenFeature(DType::float32)},
      {"words", data::VarLenFeature(DType::string)},
      {"sparse",
       data::SparseFeature({"x", "y"}, "weight", DType::float32, {5, 7})},
      {"line", data::SparseFeature("x", "weight", DType::float32, 5)},
      {"v", rows({})},
      {"lengths", rows({Rows::RowLengths("n")})},
      {"wide", Rows(DType::int64, "w", {Rows::RowSplits("s")}, DType::int64)},
      {"starts", rows({Rows::RowStarts("b")})},
      {"limits", rows({Rows::RowLimits("e")})},
      {"ids", rows({Rows::ValueRowIds("i")})},
      {"pairs", rows({Rows::UniformRowLength(2)})},
      {"deep", rows({Rows::RowLengths("m"), Rows::UniformRowLength(2)})},
      {"nested", rows({Rows::RowLengths("k"), Rows::RowLengths("n")})},
      {"steps", data::FixedLenSequenceFeature({2}, DType::int64, true)}};
}

data::Features lists() {
  using Rows = data::RaggedFeature;
  return {
      {"fixed", data::FixedLenSequenceFeature({2}, DType::int64, true)},
      {"ints", data::VarLenFeature(DType::int64)},
      {"words", data::VarLenFeature(DType::string)},
      {"v", Rows(DType::int64)},
      {"lengths", Rows(DType::int64, "v", {Rows::RowLengths("n")})},
      {"wide", Rows(DType::int64, "w", {Rows::RowSplits("s")}, DType::int64)},
      {"nested", Rows(DType::int64, "v",
                      {Rows::RowLengths("k"), Rows::RowLengths("n")})}};
}

void parse(const std::string& path, bool sequences) {
  const data::Features context{{"c", data::RaggedFeature(DType::int64)},
                               {"d", data::VarLenFeature(DType::int64)}};
  std::vector<std::string> records;
  for (std::string_view record :
       data::TFRecordDataset(path).as<std::string_view>()) {
    records.emplace_back(record);
    if (sequences) {
      const auto [first, second] =
          data::parse_single_sequence_example(record, context, lists());
      print("context", first);
      print("lists", second);
    } else {
      print("one", data::parse_single_example(record, features()));
    }
  }
  const Array batch = Array::from_strings(records);
  if (sequences) {
    const auto [first, second, steps] =
        data::parse_sequence_example(batch, context, lists());
    print("contexts", first);
    print("batch", second);
    print("counts", steps);
  } else {
    print("batch", data::parse_example(batch, features()));
  }
}

int run(const std::vector<std::string>& words) {
  if (words.at(0) == "copy") {
    data::RecordReader reader(words.at(1),
                              {.compression_type = type_of(words.at(2))});
    data::TFRecordWriter writer(words.at(3),
                                {.compression_type = type_of(words.at(4))});
    for (std::string_view record; reader.read(&record);) writer.write(record);
    writer.close();
  } else if (words.at(0) == "text") {
    for (std::string_view record :
         data::TFRecordDataset(words.at(1),
                               {.compression_type = type_of(words.at(2))})
             .as<std::string_view>()) {
      std::cout << data::example_text(record, 1000);
    }
  } else if (words.at(0) == "parse" || words.at(0) == "parse_sequences") {
    parse(words.at(1), words.at(0) == "parse_sequences");
  } else {
    data::TFRecordWriter writer(words.at(1),
                                {.compression_type = type_of(words.at(2))});
    for (int64_t i = 0; i < 100; ++i) {
      writer.write(words.at(0) == "build" ? example(i) : sequence(i));
    }
    writer.close();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
