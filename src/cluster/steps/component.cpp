#include "cluster/steps/component.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

using Words = std::vector<std::string>;

Words in_space(Words words, const std::string& space) {
    if (!space.empty()) words.insert(words.end(), {"-n", space});
    return words;
}

[[noreturn]] void refuse(const std::string& component, const std::string& why) {
    throw UserError("COMPONENT-FAILED",
                    fmt::format("the manifests of {} cannot be used", component),
                    {.cause = why, .remedy = "correct them, then resume"});
}

// kubectl reads the YAML, so that it means what its users are used to, and writes each object as
// JSON with a brace of its own line at the end. Asks no server.
json::array labelled_objects(const ComponentWork& work, const Kubectl& kubectl) {
    const std::string text = kubectl.run({"label", "--local", "-o", "json", "-f", "-",
                                          fmt::format("{}={}", kComponentLabel, work.name)},
                                         work.text);
    json::array out;
    std::size_t at = 0;
    for (std::size_t end = text.find("\n}\n"); end != std::string::npos;
         at = end + 3, end = text.find("\n}\n", at))
        out.push_back(parse_json(text.substr(at, end + 2 - at), "what kubectl says"));
    if (out.empty()) refuse(work.name, "there is no object in them");
    return out;
}

// A Job that is to go some time after its end: that it is gone says nothing.
bool is_passing(const json::object& object) {
    const json::value* spec = object.if_contains("spec");
    return string_at(object, "kind") == "Job" && spec != nullptr && spec->is_object() &&
           spec->as_object().contains("ttlSecondsAfterFinished");
}

ObjectName name_of(const json::value& value, const std::string& component) {
    const json::object& object = value.as_object();
    const json::object& metadata = object.at("metadata").as_object();
    ObjectName out{.api = string_at(object, "apiVersion"),
                   .kind = string_at(object, "kind"),
                   .space = string_at(metadata, "namespace"),
                   .name = string_at(metadata, "name"),
                   .passing = is_passing(object)};
    const std::string all = out.api + out.kind + out.space + out.name;
    if (out.name.empty() || all.find_first_of("|;\"\\") != std::string::npos)
        refuse(component, fmt::format("{} '{}' has no usable name", out.kind, printable(out.name)));
    return out;
}

// The last ones first: a kind goes after its objects. A kind that is gone has no objects.
void remove_objects(std::vector<ObjectName> objects, const std::string& space,
                    const Kubectl& kubectl) {
    if (objects.empty()) return;
    std::ranges::reverse(objects);
    const Words words = in_space(
        {"delete", "--ignore-not-found", "--timeout=120s", "--request-timeout=0", "-f", "-"},
        space);
    if (kubectl.try_run(words, names_as_list(objects)).exit_code == 0) return;
    for (const ObjectName& one : objects) {
        const remote::CommandResult result = kubectl.try_run(words, names_as_list({one}));
        if (result.exit_code == 0 || result.err.find("no matches for kind") != std::string::npos)
            continue;
        kubectl.run(words, names_as_list({one}));
    }
}

std::vector<ObjectName> without(std::vector<ObjectName> from,
                                const std::vector<ObjectName>& those) {
    std::erase_if(
        from, [&](const ObjectName& one) { return std::ranges::find(those, one) != those.end(); });
    return from;
}

void await_rollouts(const ComponentWork& work, const std::vector<ObjectName>& objects,
                    const Kubectl& kubectl) {
    for (const ObjectName& one : objects) {
        const bool rolls =
            one.api == "apps/v1" &&
            (one.kind == "Deployment" || one.kind == "DaemonSet" || one.kind == "StatefulSet");
        if (!rolls) continue;
        std::string kind = one.kind;
        for (char& c : kind) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
        const std::string space = !one.space.empty() ? one.space : work.space;
        const Words words = in_space(
            {"rollout", "status", kind + "/" + one.name, "--timeout=300s", "--request-timeout=0"},
            space.empty() ? "default" : space);
        if (kubectl.try_run(words).exit_code == 0) continue;
        throw ApiError("API-WAIT",
                       fmt::format("{}/{} of {} is not ready", kind, one.name, work.name),
                       {.cause = "its pods did not start in time",
                        .remedy = fmt::format("see `kubectl describe {}/{}` and the pods' logs, "
                                              "then resume",
                                              kind, one.name)});
    }
}

// The record names what is there at any moment: first what was and what will be, then what is.
void install_manifests(const ComponentWork& work, const Kubectl& kubectl) {
    json::array objects = labelled_objects(work, kubectl);
    std::vector<ObjectName> wanted;
    for (const json::value& one : objects) wanted.push_back(name_of(one, work.name));
    const auto before = read_record(kubectl, work.name);
    const bool same_space = before && before->space == work.space;
    ComponentRecord record{.name = work.name, .space = work.space, .objects = wanted};
    std::vector<ObjectName> old;
    if (before && same_space) old = without(before->objects, wanted);
    record.objects.insert(record.objects.end(), old.begin(), old.end());
    if (before && !same_space) remove_objects(before->objects, before->space, kubectl);
    write_record(kubectl, record);
    if (!work.space.empty()) {
        kubectl.apply(
            fmt::format("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {}\n", work.space));
    }
    kubectl.run(in_space({"apply", "--server-side", "--force-conflicts", "--field-manager",
                          "slipway", "-f", "-"},
                         work.space),
                as_list(std::move(objects)));
    remove_objects(old, work.space, kubectl);
    await_rollouts(work, wanted, kubectl);
    record.objects = std::move(wanted);
    record.inputs = work.inputs;
    write_record(kubectl, record);
}

void install_chart(const ComponentWork& work, const Kubectl& kubectl, const Helm& helm) {
    const auto before = read_record(kubectl, work.name);
    if (before && before->is_chart && before->space != work.space)
        helm.uninstall(work.name, before->space);
    ComponentRecord record{.name = work.name, .space = work.space, .is_chart = true};
    write_record(kubectl, record);
    helm.install(
        {.name = work.name, .space = work.space, .chart = work.chart, .values = work.text});
    record.inputs = work.inputs;
    write_record(kubectl, record);
}

}  // namespace

bool is_installed(const ComponentWork& work, const Kubectl& kubectl, const Helm& helm) {
    const auto record = read_record(kubectl, work.name);
    if (!record || record->inputs != work.inputs) return false;
    if (record->is_chart) return helm.is_deployed(work.name, record->space);
    std::vector<ObjectName> lasting = record->objects;
    std::erase_if(lasting, [](const ObjectName& one) { return one.passing; });
    if (lasting.empty()) return true;
    const remote::CommandResult found = kubectl.try_run(
        in_space({"get", "--ignore-not-found", "-o", "name", "-f", "-"}, work.space),
        names_as_list(lasting));
    const auto lines = std::ranges::count(found.out, '\n');
    return found.exit_code == 0 && static_cast<std::size_t>(lines) == lasting.size();
}

void install_component(const ComponentWork& work, const Kubectl& kubectl, const Helm& helm) {
    const auto before = read_record(kubectl, work.name);
    if (before && before->is_chart != !work.chart.empty()) remove_component(*before, kubectl, helm);
    if (work.chart.empty())
        install_manifests(work, kubectl);
    else
        install_chart(work, kubectl, helm);
}

void remove_component(const ComponentRecord& record, const Kubectl& kubectl, const Helm& helm) {
    if (record.is_chart)
        helm.uninstall(record.name, record.space);
    else
        remove_objects(record.objects, record.space, kubectl);
    remove_record(kubectl, record.name);
}

}  // namespace slipway::cluster
