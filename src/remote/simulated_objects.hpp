// What a simulated API server keeps: files in etcd's folder on the machine it is asked at, so that
// they live as long as those do.
#pragma once

#include "base/json.hpp"
#include "remote/commands.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace slipway::remote::objects {

inline constexpr const char* kKubeadmConfig = "/etc/kubernetes/slipway/kubeadm.yaml";
inline constexpr std::string_view kManifests = "/etc/kubernetes/manifests/";

// The value of the first line that begins with `key`, without quotes.
std::string value_of(std::string_view text, std::string_view key);
std::string file_content(const Model& model, const std::string& file_path);
std::string or_else(std::string text, std::string_view otherwise);

// The kubelet runs the static pod of this manifest, and the program in it starts with what it is
// told: one with an argument that begins with "no-such-" does not.
bool pod_runs(const Model& model, std::string_view name);
bool starts_with(std::string_view told);
bool api_answers(const Model& model);
CommandResult no_answer();
CommandResult not_found(std::string_view kind, std::string_view name);

std::string path(const Model& model, const std::string& kind, const std::string& space,
                 const std::string& name);
bool has(const Model& model, const std::string& kind, const std::string& space,
         const std::string& name);
void keep(Model& model, const std::string& kind, const std::string& space, const std::string& name,
          std::string content);
void remove(Model& model, const std::string& kind, const std::string& space,
            const std::string& name);

struct Named {
    std::string kind, space, name;
};
// The items of a list on kubectl's input; `space` for those that name none.
std::vector<Named> items_of(const std::string& input, const std::string& space);

json::object fields_of(const Model& model, const std::string& file_path);

}  // namespace slipway::remote::objects
