#include "systolic/io/gcs.h"

#include <time.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/base/user_folders.h"
#include "systolic/io/credentials.h"
#include "systolic/io/gcs_upload.h"
#include "systolic/io/google_identity.h"
#include "systolic/io/http_source.h"
#include "systolic/io/path.h"
#include "systolic/io/rename_tree.h"

namespace systolic::io::detail {
namespace {

using nlohmann::json;

constexpr const char* kEmulator = "STORAGE_EMULATOR_HOST";
constexpr int64_t kNotFound = 404;

// The address of an object for the JSON API.
std::string object_url(const GcsPath& place) {
  return gcs_endpoint() + "/storage/v1/b/" + percent_encoded(place.bucket) +
         "/o/" + percent_encoded(place.object);
}

json parse(const HttpAnswer& answer, const std::string& who,
           const std::string& path) {
  json object = json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  if (object.is_object()) return object;
  internal::Message(who)
      .expected("an answer in JSON")
      .got('"', first_words(answer), '"')
      .detail("path", path)
      .raise<StorageError>();
}

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

FileStat to_stat(const json& object) {
  FileStat stat;
  stat.size = std::atoll(text_of(object, "size").c_str());
  stat.version = text_of(object, "generation");
  struct tm date {};
  if (strptime(text_of(object, "updated").c_str(), "%Y-%m-%dT%H:%M:%S",
               &date) != nullptr) {
    stat.modified = std::chrono::system_clock::from_time_t(timegm(&date));
  }
  return stat;
}

// One page of a listing.
struct Page {
  std::vector<DirectoryEntry> entries;
  std::string next;  // empty for the last one
};

// What to list of a bucket.
struct Listing {
  std::string bucket;
  std::string prefix;
  bool recursive = false;
  // Whether the empty objects come too that stand for folders.
  bool markers = false;
};

Page list_page(const Listing& listing, const std::string& token,
               const std::string& path) {
  std::string url =
      gcs_endpoint() + "/storage/v1/b/" + percent_encoded(listing.bucket) +
      "/o?prefix=" + percent_encoded(listing.prefix) + "&maxResults=1000";
  if (!listing.recursive) url += "&delimiter=%2F";
  if (!token.empty()) url += "&pageToken=" + percent_encoded(token);
  url += "&fields=nextPageToken,prefixes,items(name,size,updated,generation)";
  const json answer = parse(gcs_send({.url = url}, "list_directory", path),
                            "list_directory", path);
  const std::string root = "gs://" + listing.bucket + "/";
  Page page;
  page.next = text_of(answer, "nextPageToken");
  for (const json& prefix : answer.value("prefixes", json::array())) {
    const std::string name =
        prefix.is_string() ? prefix.get<std::string>() : "";
    if (name.empty()) continue;
    page.entries.push_back(
        {root + name.substr(0, name.size() - 1), {.is_directory = true}});
  }
  for (const json& item : answer.value("items", json::array())) {
    const std::string name = text_of(item, "name");
    // Some programs put an empty object in the place of a folder.
    if (name.empty() || (name.back() == '/' && !listing.markers)) continue;
    page.entries.push_back({root + name, to_stat(item)});
  }
  return page;
}

// The object's name as that of a folder: "" or "a/b/".
std::string folder_prefix(const GcsPath& place) {
  std::string prefix = place.object;
  if (!prefix.empty() && prefix.back() != '/') prefix += '/';
  return prefix;
}

// The paths of all objects below a folder, those that stand for folders too.
// Throws NotFoundError where there are none.
std::vector<std::string> objects_below(const std::string& folder,
                                       const char* who) {
  const GcsPath place(folder);
  const Listing listing = {.bucket = place.bucket,
                           .prefix = folder_prefix(place),
                           .recursive = true,
                           .markers = true};
  std::vector<std::string> paths;
  std::string token;
  do {
    Page page = list_page(listing, token, folder);
    for (DirectoryEntry& entry : page.entries) {
      paths.push_back(std::move(entry.path));
    }
    token = page.next;
  } while (!token.empty());
  if (paths.empty()) {
    internal::Message(who)
        .expected("a file or folder that exists")
        .got('"', folder, '"')
        .raise<NotFoundError>();
  }
  return paths;
}

// Whether some object is in the folder.
bool has_entries(const GcsPath& place, const std::string& path) {
  const std::string url = gcs_endpoint() + "/storage/v1/b/" +
                          percent_encoded(place.bucket) +
                          "/o?prefix=" + percent_encoded(folder_prefix(place)) +
                          "&maxResults=1&fields=items(name)";
  const HttpAnswer answer = gcs_send({.url = url}, "stat", path, kNotFound);
  if (answer.status == kNotFound) return false;
  const json items = parse(answer, "stat", path).value("items", json::array());
  // An empty bucket is there all the same.
  return place.object.empty() || !items.empty();
}

}  // namespace

GcsPath::GcsPath(const std::string& path) {
  const std::string_view rest = without_scheme(path);
  const size_t slash = rest.find('/');
  bucket = rest.substr(0, slash);
  if (slash != std::string_view::npos) object = rest.substr(slash + 1);
  const auto climbs = [](const std::string& name) {
    return name == "." || name == "..";
  };
  if (bucket.empty() || bucket.find_first_of("*?[{") != std::string::npos ||
      climbs(bucket) || climbs(object)) {
    internal::Message("io")
        .expected("gs://<bucket>/<file>")
        .got('"', path, '"')
        .raise<ValueError>();
  }
}

void require_file_name(const char* who, const GcsPath& place,
                       const std::string& path) {
  if (!place.object.empty() && place.object.back() != '/') return;
  internal::Message(who)
      .expected("the name of a file in a bucket")
      .got('"', path, '"')
      .raise<ValueError>();
}

bool gcs_is_emulated() { return !internal::environment(kEmulator).empty(); }

std::string gcs_endpoint() {
  std::string host = internal::environment(kEmulator);
  if (host.empty()) return "https://storage.googleapis.com";
  if (scheme_of(host).empty()) host = "http://" + host;
  return std::string(without_last_slashes(host));
}

HttpAnswer gcs_send(
    HttpRequest request, const std::string& who, const std::string& path,
    int64_t allowed,
    const std::function<std::string(const HttpAnswer&)>& check) {
  for (auto& header : google_credentials().identity()->headers()) {
    request.headers.push_back(std::move(header));
  }
  HttpAnswer answer = send(request, {.who = who, .path = path, .check = check});
  if (!answer.good() && answer.status != allowed) {
    gcs_refuse(who, path, answer);
  }
  return answer;
}

void gcs_refuse(const std::string& who, const std::string& path,
                const HttpAnswer& answer) {
  constexpr int64_t kUnauthorized = 401;
  constexpr int64_t kForbidden = 403;
  const std::string_view hint = pattern_hint(path);
  if (answer.status == kNotFound && !hint.empty()) {
    internal::Message(who)
        .expected("a file that can be had")
        .got('"', path, '"')
        .detail("status", answer.status)
        .hint(hint)
        .raise<NotFoundError>();
  }
  if (answer.status != kUnauthorized && answer.status != kForbidden) {
    raise_refused(who, path, answer);
  }
  GoogleIdentity& identity = *google_credentials().identity();
  const std::string name = identity.name();
  std::smatch permission;
  const bool known = std::regex_search(answer.body, permission,
                                       std::regex(R"(storage\.\w+\.\w+)"));
  internal::Message message(who);
  message.rule(name, " lacks ", known ? permission.str() : "a permission",
               " on the bucket \"", GcsPath(path).bucket, '"');
  message.detail("path", path);
  message.detail("status", answer.status);
  const std::string tried = identity.tried();
  message.detail("credentials tried",
                 tried.empty() ? "those of set_google_credentials" : tried);
  message
      .hint(answer.status == kUnauthorized
                ? "run `gcloud auth application-default login`, set "
                  "GOOGLE_APPLICATION_CREDENTIALS to a key file, or call "
                  "io::set_google_credentials"
                : "ask the bucket's owner for the permission")
      .raise<PermissionDeniedError>();
}

std::unique_ptr<RandomAccessFile> GcsFileSystem::open(
    const std::string& path, const ReadOptions& options) {
  const GcsPath place(path);
  if (place.object.empty() || place.object.back() == '/') {
    internal::Message("open_file")
        .expected("the name of a file in a bucket")
        .got('"', path, '"')
        .hint(
            "io::list_directory() and io::glob() find the files that are "
            "there")
        .raise<ValueError>();
  }
  HttpPlace http;
  http.path = path;
  http.url = gcs_endpoint() + "/download/storage/v1/b/" +
             percent_encoded(place.bucket) + "/o/" +
             percent_encoded(place.object) + "?alt=media";
  http.headers = [] {
    HttpHeaders headers = google_credentials().identity()->headers();
    // Otherwise objects that are kept compressed come unpacked and whole.
    headers.emplace_back("Accept-Encoding", "gzip");
    return headers;
  };
  http.refuse = [path](const std::string& who, const HttpAnswer& answer) {
    gcs_refuse(who, path, answer);
  };
  http.version_header = "x-goog-generation";
  http.version_query = "generation";
  return open_http(http, options);
}

std::unique_ptr<WritableFile> GcsFileSystem::create(const std::string& path) {
  return upload_to_gcs(path);
}

std::optional<FileStat> GcsFileSystem::find(const std::string& path) {
  const GcsPath place{std::string(without_last_slashes(path))};
  if (!place.object.empty()) {
    const HttpAnswer answer =
        gcs_send({.url = object_url(place) + "?fields=size,updated,generation"},
                 "stat", path, kNotFound);
    if (answer.good()) return to_stat(parse(answer, "stat", path));
  }
  if (!has_entries(place, path)) return {};
  return FileStat{.is_directory = true};
}

void GcsFileSystem::list(const std::string& folder, const ListOptions& options,
                         const EntryVisitor& visit) {
  const GcsPath place(folder);
  const std::string prefix = folder_prefix(place);
  const Listing listing = {.bucket = place.bucket,
                           .prefix = prefix + options.prefix,
                           .recursive = options.recursive};
  bool any = false;
  std::string token;
  do {
    const Page page = list_page(listing, token, folder);
    for (const DirectoryEntry& entry : page.entries) {
      any = true;
      if (!visit(entry)) return;
    }
    token = page.next;
  } while (!token.empty());
  if (any || prefix.empty() || !options.prefix.empty()) return;
  if (!has_entries(place, folder)) {
    internal::Message("list_directory")
        .expected("a folder")
        .got('"', folder, '"')
        .raise<NotFoundError>();
  }
}

void GcsFileSystem::make_dirs(const std::string& folder) {
  const GcsPath checked(folder);
}

void GcsFileSystem::remove(const std::string& path) {
  const GcsPath place(path);
  const HttpAnswer answer =
      gcs_send({.method = "DELETE", .url = object_url(place)}, "remove", path,
               kNotFound);
  // The answer to a request before may have been lost on its way.
  if (answer.status == kNotFound && answer.tries == 1) {
    raise_refused("remove", path, answer);
  }
}

void GcsFileSystem::remove_tree(const std::string& folder) {
  for (const std::string& path : objects_below(folder, "remove_tree")) {
    // Somebody else may have removed it meanwhile.
    gcs_send({.method = "DELETE", .url = object_url(GcsPath(path))},
             "remove_tree", path, kNotFound);
  }
}

void GcsFileSystem::copy(const std::string& from, const std::string& to) {
  const GcsPath source(from);
  const GcsPath target(to);
  // Empty objects that stand for folders are moved with their folder.
  if (!source.object.ends_with('/')) require_file_name("copy", target, to);
  const std::string url = object_url(source) + "/rewriteTo/b/" +
                          percent_encoded(target.bucket) + "/o/" +
                          percent_encoded(target.object);
  std::string token;
  while (true) {
    const HttpRequest request = {
        .method = "POST",
        .url = token.empty() ? url
                             : url + "?rewriteToken=" + percent_encoded(token)};
    const json answer = parse(gcs_send(request, "copy", from), "copy", from);
    if (text_of(answer, "done") != "false") return;
    token = text_of(answer, "rewriteToken");
  }
}

void GcsFileSystem::rename(const std::string& from, const std::string& to) {
  const std::optional<FileStat> stat = find(from);
  if (stat && same_path(from, to)) return;
  if (stat && !stat->is_directory) {
    require_file_name("rename", GcsPath(to), to);
    copy(from, to);
    return remove(from);
  }
  rename_tree(*this, objects_below(from, "rename"), from, to);
}

}  // namespace systolic::io::detail
