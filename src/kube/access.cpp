#include "kube/access.hpp"

#include "base/base64.hpp"
#include "base/error.hpp"
#include "kube/document.hpp"

#include <fmt/format.h>

namespace slipway::kube {

namespace {

std::string decoded(const config::Node& from, std::string_view key, const std::string& name) {
    const std::string text = text_at(from, key);
    const std::optional<Secret> bytes = from_base64(text);
    if (!bytes) refuse(name, fmt::format("{} is not base64", key));
    return std::string(bytes->reveal());
}

const config::Node& chosen(const config::Node& root, std::string_view list, std::string_view kind,
                           const std::string& wanted, const std::string& name) {
    const config::Node* item = named_item(root, list, wanted);
    const config::Node* body = item == nullptr ? nullptr : item->find(kind);
    if (body == nullptr) refuse(name, fmt::format("it has no {} named {}", kind, wanted));
    return *body;
}

}  // namespace

Access read_kubeconfig(std::string_view text, const std::string& name) {
    const config::Node root = read_document(text, name);
    Access out{.context = text_at(root, "current-context")};
    if (out.context.empty()) refuse(name, "it has no current-context");
    const config::Node& context = chosen(root, "contexts", "context", out.context, name);
    const config::Node& cluster =
        chosen(root, "clusters", "cluster", text_at(context, "cluster"), name);
    const config::Node& user = chosen(root, "users", "user", text_at(context, "user"), name);
    out.server = text_at(cluster, "server");
    if (out.server.empty()) refuse(name, "its cluster has no server");
    out.ca_pem = decoded(cluster, "certificate-authority-data", name);
    out.client_certificate = decoded(user, "client-certificate-data", name);
    out.client_key = Secret(decoded(user, "client-key-data", name));
    out.token = Secret(text_at(user, "token"));
    return out;
}

}  // namespace slipway::kube
