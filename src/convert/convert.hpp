// From the files of other installers to a spec.
//
//     Conversion c = convert({"tke.json", text});
//     c.yaml;           // a spec; what to look at stands at its head as comments
//     c.unsupported;    // every part of the file that is not in the spec, and why
//     c.secrets;        // what the spec refers to: never in the YAML itself
//
// Every leaf of the file is in the spec (`taken`), says what Slipway does anyway (`agreed`), or is
// listed in `unsupported`. The spec's own rules judge each value: what they refuse is listed too.
#pragma once

#include "config/load.hpp"
#include "config/problem.hpp"
#include "convert/document.hpp"
#include "convert/draft.hpp"
#include "convert/mapper.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::convert {

enum class Format { tke, kubekey };

std::string_view to_string(Format format);

struct Conversion {
    Format from = Format::tke;
    std::string cluster;  // its name
    std::string yaml;
    std::vector<Unsupported> unsupported;
    std::vector<Taken> taken;
    std::vector<std::string> agreed;
    std::vector<std::string> leaves;  // of the file, all of them
    std::vector<FoundSecret> secrets;
    std::vector<std::string> notes;  // what to look at or fill in
    bool valid = false;              // whether the spec can be used as it is
};

// Problems of a spec that only a higher layer can see: whether steps.skip names steps.
using MoreProblems = std::function<std::vector<config::Problem>(const config::LoadedSpec&)>;

struct Options {
    std::optional<Format> from = {};  // not set: found out
    std::string secrets_folder = {};  // where the spec refers to; "": the environment
    // Every secret of a host is asked for when a run starts, instead of either.
    bool prompt_for_secrets = false;
    std::vector<std::string> bundles = {};  // files, for the spec to name
    MoreProblems more_problems = {};
};

// Throws UserError CONVERT-UNREADABLE or CONVERT-UNKNOWN.
Conversion convert(const config::Source& source, const Options& options = {});

// {yaml, from, unsupported: [{path, why}], secrets: [{name, reference, from}], notes, taken,
// valid}; no secret is in it.
json::object to_json(const Conversion& conversion);

// Each secret as a file of its own, mode 0600. Throws UserError CONVERT-SECRET-EXISTS rather than
// write over another secret.
void write_secrets(const Conversion& conversion, const std::filesystem::path& folder);

}  // namespace slipway::convert
