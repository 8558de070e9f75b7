// What the cluster itself remembers of a component, so that one that has left the spec can be
// removed, whoever asks: a config map of kube-system for each.
#pragma once

#include "cluster/steps/kubectl.hpp"

#include <optional>
#include <string>
#include <vector>

namespace slipway::cluster {

// An object of a manifest.
struct ObjectName {
    std::string api = {};    // apps/v1
    std::string kind = {};   // Deployment
    std::string space = {};  // "": the manifest names none
    std::string name = {};
    bool passing = false;  // goes by itself once it has done its work

    bool operator==(const ObjectName& other) const {
        return api == other.api && kind == other.kind && space == other.space && name == other.name;
    }
};

struct ComponentRecord {
    std::string name = {};
    std::string inputs = {};  // digest of what it was made from; "": it was begun
    std::string space = {};   // "": what the manifests say
    bool is_chart = false;
    std::vector<ObjectName> objects = {};
};

std::optional<ComponentRecord> read_record(const Kubectl& kubectl, const std::string& name);
std::vector<ComponentRecord> read_records(const Kubectl& kubectl);
void write_record(const Kubectl& kubectl, const ComponentRecord& record);
void remove_record(const Kubectl& kubectl, const std::string& name);

// As kubectl takes them by stdin: whole objects, and nothing but their names.
std::string as_list(json::array objects);
std::string names_as_list(const std::vector<ObjectName>& objects);

}  // namespace slipway::cluster
