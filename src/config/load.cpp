#include "config/load.hpp"

#include "config/decode.hpp"
#include "config/fields.hpp"
#include "config/validate.hpp"

#include <algorithm>

namespace slipway::config {

bool LoadedSpec::ok() const {
    return std::ranges::none_of(problems,
                                [](const Problem& p) { return p.severity == Severity::error; });
}

Position LoadedSpec::place(const std::string& path) const { return nearest_place(places, path); }

LoadedSpec load_spec(const std::vector<Source>& sources) {
    Document document;
    Findings findings;
    if (sources.empty()) {
        findings.add({"SPEC-EMPTY",
                      {},
                      "",
                      "no spec was given",
                      "name one with -c FILE, or make one with `slipway init`"});
    }
    decode_into(sources, document_type(), &document, findings);
    // Without a place for the root nothing was decoded, and there is nothing to judge.
    if (findings.is_set("hosts")) validate(document.spec, findings);
    LoadedSpec out;
    out.spec = std::move(document.spec);
    out.spec.name = std::move(document.metadata.name);
    out.problems = findings.sorted();
    out.places = findings.places();
    return out;
}

std::string to_canonical_json(const Spec& spec) {
    const Document document{std::string(kApiVersion), std::string(kKind), {spec.name}, spec};
    return json::serialize(to_json(document, JsonStyle::canonical));
}

}  // namespace slipway::config
