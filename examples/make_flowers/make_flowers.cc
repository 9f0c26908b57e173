// Lesson: record files of pictures, here of drawn flowers, in the form of the
// public flowers. scripts/make-flowers builds and runs this.
//   make_flowers FOLDER [--files 8] [--per-file 230] [--size 331] [--seed 0]
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  using namespace systolic;
  CLI::App app("Writes TFRecord files of drawn flowers, of five classes.");
  std::string folder;
  datasets::flowers::DrawnOptions options;
  app.add_option("folder", folder, "Where the files go")->required();
  app.add_option("--files", options.files, "How many files (8)");
  app.add_option("--per-file", options.per_file, "Pictures in each (230)");
  app.add_option("--size", options.size, "Pixels a side (331)");
  app.add_option("--seed", options.seed, "Another for other pictures (0)");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto paths = datasets::flowers::write_drawn(folder, options);
    int64_t bytes = 0;
    for (const std::string& path : paths) bytes += io::stat(path).size;
    std::printf("%zu files, %lld pictures, %.1f MB in %s\n", paths.size(),
                static_cast<long long>(options.files * options.per_file),
                static_cast<double>(bytes) / 1e6, folder.c_str());
  } catch (const Error& e) {
    std::fprintf(stderr, "make_flowers: %s\n", e.what());
    return 1;
  }
  return 0;
}
