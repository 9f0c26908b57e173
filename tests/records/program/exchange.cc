// Reads and writes record files for tensorflow_test.py.
//   exchange copy IN TYPE OUT TYPE   the records of a file to another
//   exchange text IN TYPE            prints its Examples
//   exchange build OUT TYPE          writes Examples of fixed values
//   exchange sequences OUT TYPE      the same of SequenceExamples
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
