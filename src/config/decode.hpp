// Strict typed decoding of YAML into any described struct, every problem at once.
//
//     #include "config/decode.hpp"
//
//     struct Profile { double time_scale = 1; std::map<std::string, HostModel> hosts; };
//     void describe(config::Describe<Profile>& d) {          // same namespace as Profile
//         d.field("timeScale", &Profile::time_scale, "How fast simulated time runs.");
//         d.field("hosts", &Profile::hosts, "One model a host, by name.");
//     }
//
//     const config::Decoded<Profile> profile = config::decode_yaml<Profile>({{"sim.yaml", text}});
//     if (!profile.ok()) for (const config::Problem& p : profile.problems) print(p.line());
//     use(profile.value);
//
// Or `config::decode_yaml_or_throw<Profile>(source, "PROFILE-INVALID")` for a UserError with the
// list.
//
// Refused: unknown keys (with the nearest valid name), duplicate keys, wrong types, broken rules,
// YAML tags, merge keys, and anything beyond the limits of yaml.hpp. Scalars are typed here, by the
// type that is wanted: `010` is never 8, `yes` is never true. Several sources merge in order
// (merge.hpp).
#pragma once

#include "config/describe.hpp"
#include "config/problem.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace slipway::config {

// Decodes into `out`, an object of `type`, which starts with its defaults.
void decode_into(const std::vector<Source>& sources, const TypeInfo& type, void* out,
                 Findings& findings);

template <class T>
struct Decoded {
    T value;
    std::vector<Problem> problems;  // in file order
    Places places;                  // path -> where the user wrote it

    bool ok() const {
        for (const Problem& p : problems) {
            if (p.severity == Severity::error) return false;
        }
        return true;
    }
};

template <class T>
Decoded<T> decode_yaml(const std::vector<Source>& sources) {
    Decoded<T> out;
    Findings findings;
    decode_into(sources, type_of<T>(), &out.value, findings);
    out.problems = findings.sorted();
    out.places = findings.places();
    return out;
}

// UserError(id) whose cause is the list of problems, one a line.
[[noreturn]] void throw_problems(std::string_view id, const std::string& file,
                                 const std::vector<Problem>& problems);

template <class T>
T decode_yaml_or_throw(const Source& source, std::string_view id) {
    Decoded<T> decoded = decode_yaml<T>({source});
    if (!decoded.ok()) throw_problems(id, source.file, decoded.problems);
    return std::move(decoded.value);
}

}  // namespace slipway::config
