#include "convert/tke_answers.hpp"

#include "base/base64.hpp"

#include <initializer_list>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace slipway::convert {

namespace {

std::string_view status_of(TkeRun::State state) {
    switch (state) {
        case TkeRun::State::none: return "Unknown";
        case TkeRun::State::running: return "Doing";
        case TkeRun::State::retrying: return "Retrying";
        case TkeRun::State::succeeded: return "Success";
        case TkeRun::State::failed: return "Failed";
    }
    return "Unknown";
}

struct Reason {
    std::string_view name;
    int code;
};

Reason kubernetes_reason(TkeReason reason) {
    switch (reason) {
        case TkeReason::bad_request: return {"BadRequest", 400};
        case TkeReason::unauthorized: return {"Unauthorized", 401};
        case TkeReason::forbidden: return {"Forbidden", 403};
        case TkeReason::not_found: return {"NotFound", 404};
        case TkeReason::already_exists: return {"AlreadyExists", 409};
        case TkeReason::conflict: return {"Conflict", 409};
        case TkeReason::invalid: return {"Invalid", 422};
        case TkeReason::too_many_requests: return {"TooManyRequests", 429};
        case TkeReason::internal_error: return {"InternalError", 500};
        case TkeReason::unavailable: return {"ServiceUnavailable", 503};
    }
    return {"InternalError", 500};
}

using Paths = std::unordered_set<std::string_view>;

Paths paths_to_keep(const Conversion& conversion) {
    Paths out(conversion.agreed.begin(), conversion.agreed.end());
    for (const Taken& one : conversion.taken) out.insert(one.from);
    for (const FoundSecret& secret : conversion.secrets) {
        for (const std::string& from : secret.from) out.erase(from);
    }
    return out;
}

// What is kept of a value; null when nothing is.
json::value kept_of(const json::value& value, const std::string& path, const Paths& kept) {
    if (const json::object* object = value.if_object(); object != nullptr && !object->empty()) {
        json::object out;
        for (const auto& [key, child] : *object) {
            const std::string below =
                path.empty() ? std::string(key) : fmt::format("{}.{}", path, std::string_view(key));
            json::value part = kept_of(child, below, kept);
            if (!part.is_null()) out[key] = std::move(part);
        }
        return out.empty() ? json::value() : json::value(std::move(out));
    }
    if (const json::array* list = value.if_array(); list != nullptr && !list->empty()) {
        json::array out;
        for (std::size_t i = 0; i < list->size(); ++i) {
            json::value part = kept_of((*list)[i], fmt::format("{}[{}]", path, i), kept);
            if (!part.is_null()) out.push_back(std::move(part));
        }
        return out.empty() ? json::value() : json::value(std::move(out));
    }
    return kept.contains(path) ? value : json::value();
}

json::object& object_in(json::object& holder, std::string_view key) {
    json::value& place = holder[key];
    return place.is_object() ? place.get_object() : place.emplace_object();
}

// {a: {b: x}} at "a.b"; nullptr when it is not there.
const json::value* find(const json::object& object, std::string_view path) {
    const std::size_t dot = path.find('.');
    const json::value* here = object.if_contains(path.substr(0, dot));
    if (here == nullptr || dot == std::string_view::npos) return here;
    return here->is_object() ? find(here->get_object(), path.substr(dot + 1)) : nullptr;
}

// Networks are lists in a spec and one text here.
std::string text_of(const json::value* value) {
    if (value == nullptr) return "";
    if (value->is_string()) return std::string(value->get_string());
    std::string out;
    if (!value->is_array()) return out;
    for (const json::value& item : value->get_array()) {
        if (item.is_string()) out += (out.empty() ? "" : ",") + std::string(item.get_string());
    }
    return out;
}

}  // namespace

json::object tke_progress(const TkeRun& run) {
    json::object out{{"status", status_of(run.state)}, {"data", run.log}};
    if (run.state != TkeRun::State::succeeded) return out;
    out["url"] = run.url;
    const Secret certificate = to_base64(run.ca_certificate);
    out["caCert"] = certificate.reveal();
    // As lines of /etc/hosts, for whoever wants to reach it by name.
    json::array hosts, servers;
    if (!run.domain.empty() && !run.addresses.empty())
        hosts.emplace_back(run.addresses.front() + " " + run.domain);
    for (const std::string& address : run.addresses) servers.emplace_back(address);
    out["hosts"] = std::move(hosts);
    out["servers"] = std::move(servers);
    return out;
}

int tke_code(TkeReason reason) { return kubernetes_reason(reason).code; }

json::object tke_status(TkeReason reason, std::string_view message,
                        const std::vector<TkeCause>& causes) {
    json::object out{{"kind", "Status"},           {"apiVersion", "v1"},
                     {"metadata", json::object{}}, {"status", "Failure"},
                     {"message", message},         {"reason", kubernetes_reason(reason).name}};
    if (!causes.empty()) {
        json::array list;
        for (const TkeCause& cause : causes)
            list.push_back(json::object{
                {"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}});
        out["details"] = json::object{{"causes", std::move(list)}};
    }
    out["code"] = tke_code(reason);
    return out;
}

json::object tke_para(const json::object& sent, const Conversion& conversion,
                      const json::object& effective) {
    json::object out;
    json::value kept = kept_of(sent, "", paths_to_keep(conversion));
    if (kept.is_object()) out = std::move(kept.get_object());
    // As the installer keeps it, what was sent is inside.
    if (json::value* para = out.if_contains("para"); para != nullptr && para->is_object())
        out = json::object(para->get_object());
    json::object& cluster = object_in(out, "cluster");
    cluster["apiVersion"] = "platform.tkestack.io/v1";
    cluster["kind"] = "Cluster";
    object_in(cluster, "metadata")["name"] = conversion.cluster;
    json::object& spec = object_in(cluster, "spec");
    spec["type"] = "Baremetal";
    for (const auto& [name, path] : std::initializer_list<std::pair<const char*, const char*>>{
             {"version", "spec.kubernetes.version"},
             {"clusterCIDR", "spec.kubernetes.networks.pods"},
             {"serviceCIDR", "spec.kubernetes.networks.services"},
             {"dnsDomain", "spec.kubernetes.dnsDomain"}}) {
        std::string text = text_of(find(effective, path));
        if (name == std::string_view("version") && text.starts_with('v')) text.erase(0, 1);
        if (!text.empty()) spec[name] = text;
    }
    object_in(out, "Config");
    return out;
}

}  // namespace slipway::convert
