#include "base/error.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kept_file.hpp"
#include "cluster/resources/kinds.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

class FetchedFile : public KeptFile {
  public:
    FetchedFile(std::string path, FetchFrom from)
        : KeptFile("program", std::move(path)), from_(std::move(from)) {}

    json::value desired() const override {
        return json::object{{"sha256", from_.sha256}, {"mode", fmt::format("{:04o}", from_.mode)}};
    }

    bool differs(const json::value& now) const override {
        if (is_absent(now)) return true;
        const json::object& object = now.as_object();
        return string_at(object, "sha256") != from_.sha256 ||
               string_at(object, "mode") != fmt::format("{:04o}", from_.mode);
    }

    engine::Change change(const json::value& now) const override {
        return {is_absent(now) ? "create" : "change", "file " + name(), from_.label};
    }

    void apply(Target& target) const override {
        put_aside(target);
        fetch_any(target, from_, name());
    }

  private:
    FetchFrom from_;
};

}  // namespace

void fetch_any(Target& target, const FetchFrom& from, const std::string& path) {
    for (std::size_t i = 0; i < from.servers.size(); ++i) {
        try {
            target.host.fetch({.url = from.servers[i] + from.path,
                               .sha256 = from.sha256,
                               .size = from.size,
                               .path = path,
                               .mode = from.mode,
                               .ca_pem = from.ca_pem ? from.ca_pem() : "",
                               .deadline_ms = 0},
                              {}, target.call);
            return;
        } catch (const Error& error) {
            if (i + 1 == from.servers.size()) throw;
            target.log(
                fmt::format("{}: {}; asking the next registry", from.servers[i], error.message()));
        }
    }
}

ResourcePtr fetched_file(std::string path, FetchFrom from) {
    return std::make_shared<FetchedFile>(std::move(path), std::move(from));
}

}  // namespace slipway::cluster
