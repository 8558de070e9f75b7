// Specs kept on the server, byte for byte, with the secrets they ask for.
//
//     FOLDER/NAME.yaml     0600
//     FOLDER/NAME.sealed   secrets, each sealed under ../secrets.key
//     FOLDER/NAME.origin   what it was made from, when that was no YAML
//     FOLDER/clusters.json which draft a cluster was last applied from
//
// What is in a draft is found out by a child process (slipway validate), and remembered by its
// hash.
#pragma once

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/mutex.hpp"
#include "base/secret.hpp"
#include "server/child.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slipway::server {

struct Draft {
    std::string name = {};
    std::string yaml = {};
    std::string etag = {};  // with its quotes
    std::int64_t updated_ms = 0;
};

// One that the spec asks a person for.
struct WantedSecret {
    std::string path = {};      // hosts.w1.password
    std::string question = {};  // as `slipway apply` asks it
    std::string place = {};     // in the spec: hosts[3].password
};

class Drafts {
  public:
    Drafts(std::filesystem::path folder, const Children& children);

    std::vector<Draft> list() const;
    std::optional<Draft> find(const std::string& name) const;
    // Throws Problem 404.
    Draft require(const std::string& name) const;
    // `expected`: the etag it must have now, "" for one that must not be there yet. Throws Problem
    // 412.
    Draft put(const std::string& name, const std::string& yaml, const std::string& expected);
    void remove(const std::string& name, const std::string& expected);
    std::filesystem::path file(const std::string& name) const;

    // {valid, cluster, problems, spec?, effective?}; with the files it names on this computer.
    json::object look_at(const std::string& yaml) const;
    // The same without them, and remembered by nobody.
    json::object look_at_text(const std::string& yaml) const;

    std::vector<WantedSecret> wanted_secrets(const Draft& draft) const;
    bool has_secret(const std::string& name, const std::string& path) const;
    void keep_secret(const std::string& name, const std::string& path, const Secret& value);
    // These, and no others.
    void replace_secrets(const std::string& name, const std::map<std::string, Secret>& by_path);
    bool forget_secret(const std::string& name, const std::string& path);
    // The answers --secrets-stdin takes; empty when the draft asks for none that is kept.
    Secret answers(const Draft& draft) const;

    // {etag, …}: of the text that was made from it. Nothing when the draft has been changed since.
    void set_origin(const std::string& name, const json::object& origin);
    std::optional<json::object> origin(const std::string& name) const;

    void set_cluster(const std::string& cluster, const std::string& draft);
    std::string draft_of(const std::string& cluster) const;  // "" when none is known

  private:
    json::object sealed(const std::string& name) const;
    json::object clusters() const;

    const std::filesystem::path folder_;
    const Children& children_;
    mutable Mutex mutex_;
    // What was seen a moment ago, by hash: the files a spec names may change, and time goes on.
    struct Look {
        json::object seen = {};
        SteadyTime until = {};
    };
    mutable std::map<std::string, Look> looks_ SLIPWAY_GUARDED_BY(mutex_);
    Mutex writing_;  // one change at a time, so that two with the same etag do not both win
};

std::string etag_of(std::string_view text);

// {"QUESTION": "ANSWER", …} for --secrets-stdin.
Secret answers_text(const std::map<std::string, Secret>& by_question);

}  // namespace slipway::server
