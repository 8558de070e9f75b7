#include "pki/kubeconfig.hpp"

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/json.hpp"

#include <cstddef>
#include <string_view>

namespace slipway::pki {

namespace {

constexpr std::size_t kRoom = 64u << 10;
constexpr std::string_view kTokenCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~+/=-";

// Grows once, at the start: a string that grows leaves copies of the key behind.
class Text {
  public:
    explicit Text(std::size_t room) { text_.reserve(room); }
    ~Text() { wipe(text_); }
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;

    void line(std::string_view beginning, std::string_view value = "") {
        text_.append(beginning).append(value).append("\n");
    }
    // A JSON string is one of YAML too, whatever is in it.
    void quoted(std::string_view beginning, std::string_view value) {
        line(beginning, json::serialize(json::string(value)));
    }
    void base64(std::string_view beginning, std::string_view bytes) {
        line(beginning, to_base64(bytes).reveal());
    }
    // Digits and a dot are a number to YAML, and a bootstrap token may be just that.
    void token(std::string_view beginning, const Secret& token) {
        if (token.reveal().find_first_not_of(kTokenCharacters) != std::string_view::npos)
            throw UserError("PKI-REQUEST", "a kubeconfig cannot be written with this token",
                            {.cause = "it has characters that tokens of Kubernetes do not have"});
        text_.append(beginning).append("\"").append(token.reveal()).append("\"\n");
    }
    Secret secret() const { return Secret(text_); }

  private:
    std::string text_;
};

void add_user(Text& out, const KubeconfigInput& input) {
    if (!input.client_certificate_file.empty()) {
        out.quoted("    client-certificate: ", input.client_certificate_file);
        out.quoted("    client-key: ", input.client_key_file);
    } else if (input.client_key != nullptr) {
        out.base64("    client-certificate-data: ", input.client_certificate);
        out.base64("    client-key-data: ", input.client_key->reveal());
    }
    if (input.token != nullptr) out.token("    token: ", *input.token);
}

std::size_t room_for(const KubeconfigInput& input) {
    std::size_t secrets = input.client_key != nullptr ? input.client_key->reveal().size() : 0;
    if (input.token != nullptr) secrets += input.token->reveal().size();
    return kRoom + 2 * (input.ca_pem.size() + input.client_certificate.size() + secrets);
}

}  // namespace

Secret kubeconfig(const KubeconfigInput& input) {
    const std::string context = input.user + "@" + input.cluster;
    Text out(room_for(input));
    out.line("apiVersion: v1");
    out.line("kind: Config");
    out.line("clusters:");
    out.line("- cluster:");
    if (!input.ca_file.empty()) {
        out.quoted("    certificate-authority: ", input.ca_file);
    } else {
        out.base64("    certificate-authority-data: ", input.ca_pem);
    }
    out.quoted("    server: ", input.server);
    out.quoted("  name: ", input.cluster);
    out.line("contexts:");
    out.line("- context:");
    out.quoted("    cluster: ", input.cluster);
    out.quoted("    user: ", input.user);
    out.quoted("  name: ", context);
    out.quoted("current-context: ", context);
    out.line("users:");
    out.quoted("- name: ", input.user);
    out.line("  user:");
    add_user(out, input);
    return out.secret();
}

}  // namespace slipway::pki
