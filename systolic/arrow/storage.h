// Files of Arrow's file systems as ours.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "systolic/arrow/places.h"
#include "systolic/io/file_system.h"

namespace systolic::arrow_module {

// A name beside `target`, an Arrow's path, that no glob finds; another each
// time.
std::string hidden_path(const std::string& target);

// Begins a file that is there when it is closed.
std::unique_ptr<io::WritableFile> create_file(const Place& place,
                                              const std::string& path);

// What Arrow knows of a file; empty when nothing is there.
std::optional<io::FileStat> to_stat(const arrow::fs::FileInfo& info);

// Gives a folder's entries.
void list_folder(const Place& place, const std::string& folder,
                 const io::ListOptions& options, const io::EntryVisitor& visit);

// Moves a file within its place, over one that is there; copies and removes it
// where the account can not move.
arrow::Status move_file(const Place& place, const std::string& from,
                        const std::string& to);

// Whether two places are one under two addresses. Of HDFS a file that is
// written beside `file`, an Arrow's path, and looked for by the other address
// tells: names of hosts, ports, services and settings do not.
bool are_one(const Place& place, const Place& other, const std::string& file);

// Copies a file by reading and writing it, also to another place.
void copy_file(const Place& place, const std::string& from,
               const Place& to_place, const std::string& to);

// Removes a file or an empty folder.
void remove_path(const Place& place, const std::string& path);

}  // namespace systolic::arrow_module
