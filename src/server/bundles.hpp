// Bundles on the server, and those on their way up: parts in order, whole when the last byte and
// the digest are right.
//
//     FOLDER/NAME          whole
//     FOLDER/NAME.part     what has arrived
//     FOLDER/NAME.upload   {"size", "digest"}
#pragma once

#include "base/json.hpp"
#include "base/mutex.hpp"
#include "net/body_reader.hpp"
#include "server/request_fields.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slipway::server {

struct Upload {
    std::string name = {};
    std::uint64_t size = 0;
    std::string digest = {};  // sha256:…, or ""
    std::uint64_t received = 0;

    json::object to_json() const;
};

class Bundles {
  public:
    explicit Bundles(std::filesystem::path folder) : folder_(std::move(folder)) {}

    json::array list() const;
    // Of a whole one; nullopt when there is none.
    std::optional<std::filesystem::path> file(const std::string& name) const;
    std::optional<Upload> upload(const std::string& name) const;

    // Throws Problem 409 when there is one of this name, 422, 507.
    Upload begin(const Upload& wanted);
    // Takes the part; true when it was the last.
    bool take(const std::string& name, const ContentRange& range, net::BodyReader& body);
    // Checks the digest and has the file looked at before it counts. What is not what was
    // announced (Problem 422), or refused by `look` (any Problem below 500), is gone; after every
    // other failure this can be called again. Throws Problem 409 when a part is missing.
    void finish(const std::string& name, std::uint64_t size,
                const std::function<void(const std::filesystem::path&)>& look);
    void remove(const std::string& name);

    static constexpr std::uint64_t kLargest = 1ull << 40;
    static constexpr std::size_t kMostUploads = 20;

  private:
    class Busy;
    void check(const std::string& name) const;
    Upload require_upload(const std::string& name) const;
    std::filesystem::path part(const std::string& name) const;
    void forget_upload(const std::string& name);

    const std::filesystem::path folder_;
    mutable Mutex mutex_;
    std::set<std::string> busy_ SLIPWAY_GUARDED_BY(mutex_);  // parts being written
};

}  // namespace slipway::server
