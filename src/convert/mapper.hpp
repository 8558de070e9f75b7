// What the readers of both formats share: moving values from the input into the draft.
//
//     map.text(draft.at("kubernetes.dnsDomain"), spec["dnsDomain"]);
//     map.secret(host.at("password"), machine["password"], "ssh-password-cp1", Encoding::base64);
//
// Every function takes the value it is given: a value that says nothing is agreed to, any other is
// in the draft afterwards or listed as unsupported.
#pragma once

#include "base/secret.hpp"
#include "convert/document.hpp"
#include "convert/draft.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slipway::convert {

// A secret of the input. The spec only refers to it.
struct FoundSecret {
    std::string name;               // ssh-password-cp1; the file it is written to
    json::object reference;         // {env: SLIPWAY_SSH_PASSWORD_CP1}, {file: …}, {prompt: true}
    std::vector<std::string> from;  // the leaves that hold it
    Secret value;
};

enum class Encoding { plain, base64 };

// What one text may stand for, however long it is: addresses, names of hosts.
inline constexpr std::size_t kMostOfOneText = 10'000;

// What the spec says in the place of a secret.
enum class SecretsFrom { environment, folder, prompt };

class Mapper {
  public:
    explicit Mapper(SecretsFrom secrets_from, std::string secrets_folder = "")
        : secrets_from_(secrets_from), secrets_folder_(std::move(secrets_folder)) {}

    Draft draft;
    std::vector<FoundSecret> secrets;
    std::vector<std::string> notes;  // what to look at before the spec is used
    std::string cluster;             // metadata.name
    std::string cluster_from;        // where that was; "" when it had to be made

    void name_cluster(const View& from, std::string_view otherwise);

    void text(Draft& target, const View& from) const;
    void number(Draft& target, const View& from) const;
    void flag(Draft& target, const View& from) const;
    void texts(Draft& target, const View& from) const;  // a list of texts
    // Texts in one, as 10.0.0.0/16,fd00::/64.
    void separated(Draft& target, const View& from, char separator) const;
    void text_map(Draft& target, const View& from) const;
    // Arguments of a program: {name: value}, or a list of name=value; dashes before them are
    // dropped.
    void arguments(Draft& target, const View& from) const;
    static void argument(Draft& target, const std::string& name, const std::string& value,
                         const View& from);
    // The parts of a list or map; one without any is agreed to.
    static std::vector<View> items(const View& from);
    static std::vector<std::pair<std::string, View>> entries(const View& from);
    // A secret becomes a reference. Equal secrets share one.
    void secret(Draft& target, const View& from, const std::string& name, Encoding encoding);

    // Whoever starts a run can be asked for the secrets of hosts, and for no others.
    bool keeps_only_logins_of_hosts() const { return secrets_from_ == SecretsFrom::prompt; }

    // Refuses what says something; what is off is agreed to.
    static void lacks(const View& from, std::string_view why);
    // Agrees when it is `expected` or not set, else refuses.
    static void expect(const View& from, std::string_view expected, std::string_view why);

    // A lower-case name made of `text`, as host and cluster names must be; `otherwise` when nothing
    // of it can be kept.
    static std::string name_of(std::string_view text, std::string_view otherwise);

    std::map<std::string, Draft*> logins;  // of registries, by host

  private:
    FoundSecret& find_or_add(Secret value, const std::string& name);

    json::object reference_to(const std::string& name) const;

    SecretsFrom secrets_from_;
    std::string secrets_folder_;
    std::unordered_multimap<std::size_t, std::size_t> by_hash_;  // of a secret: its place
    std::set<std::string> names_;                                // of secrets
};

}  // namespace slipway::convert
