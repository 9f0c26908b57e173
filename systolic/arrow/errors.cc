// Tested by: tests/storage/s3_test.cc
#include "systolic/arrow/errors.h"

#include <arrow/util/io_util.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "systolic/arrow/retries.h"
#include "systolic/base/message.h"
#include "systolic/io/error.h"
#include "systolic/io/path.h"

namespace systolic::arrow_module {
namespace {

bool has(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

// Whether Java says that nobody answers, or somebody else.
bool is_silence(const std::string& text) {
  return has(text, "ConnectException") || has(text, "UnknownHostException") ||
         has(text, "NoRouteToHostException") || has(text, "TimeoutException") ||
         has(text, "EOFException") || has(text, "RpcException") ||
         has(text, "SocketException");
}

// Without what follows on addresses, such as signatures.
std::string without_queries(std::string text) {
  const auto is_part = [](char c) {
    return std::isgraph(static_cast<unsigned char>(c)) != 0 && c != '\'' &&
           c != '"';
  };
  for (size_t at = text.find("://"); at != std::string::npos;
       at = text.find("://", at + 1)) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = std::find_if_not(begin, text.end(), is_part);
    text.erase(std::find(begin, end, '?'), end);
  }
  return text;
}

void add_hdfs_hint(const std::string& text, internal::Message* message) {
  if (has(text, "libjvm") || has(text, "libhdfs") ||
      text == kNoConnection) {  // without Java's words: no classes
    message->hint(kHdfsHint);
  } else if (has(text, kNoCluster)) {
    message->hint(
        "Hadoop's settings, core-site.xml in a folder of CLASSPATH, name no "
        "fs.defaultFS; or name the host, hdfs://host:port/path");
  } else if (is_silence(text)) {
    message->hint(
        "a name node or data node does not answer: host and port in the path "
        "are those of Hadoop's fs.defaultFS");
  }
}

}  // namespace

void require_good(const arrow::Status& status, const std::string& who,
                  const std::string& path) {
  if (status.ok()) return;
  // HDFS's client tells of every place where it looked for Java.
  const std::string text =
      without_queries(status.message().substr(0, status.message().find('\n')));
  internal::Message message(who);
  message.expected("a file that can be had").got('"', path, '"');
  message.detail("cause", text);
  const LastTry last = last_try(status).value_or(LastTry());
  if (last.used_up || last.tries > 1) message.detail("tries", last.tries);
  if (io::detail::scheme_of(path) == "hdfs") add_hdfs_hint(text, &message);
  const int code = arrow::internal::ErrnoFromStatus(status);
  // The clients of the services tell it in their own words.
  if (code == ENOENT || has(text, "NO_SUCH_") || has(text, "NOT_FOUND") ||
      has(text, "does not exist")) {
    message.raise<NotFoundError>();
  }
  if (code == EACCES || has(text, "ACCESS_DENIED") ||
      has(text, "HTTP status 403") || has(text, "HTTP status 401") ||
      has(text, "] 403 ") || has(text, "] 401 ") ||  // Microsoft's
      has(text, "INVALID_ACCESS_KEY") || has(text, "SIGNATURE_DOES_NOT")) {
    message.raise<io::PermissionDeniedError>();
  }
  if (last.used_up) {
    message.hint("io::set_storage_options sets max_retries and the waits");
  }
  message.raise<io::StorageError>();
}

}  // namespace systolic::arrow_module
