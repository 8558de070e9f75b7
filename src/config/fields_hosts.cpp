#include "config/fields.hpp"
#include "config/rules.hpp"

namespace slipway::config {

void describe(Choices<Role>& c) {
    c.add("control-plane", Role::control_plane, "Runs the Kubernetes control plane.");
    c.add("etcd", Role::etcd,
          "Runs a member of etcd, with etcd.mode managed; with stacked the control planes do.");
    c.add("worker", Role::worker, "Runs the users' pods.");
    c.add("registry", Role::registry, "Serves images from the bundle.");
}

void describe(Describe<SecretRef>& d) {
    d.secret();
    d.unset_when([](const void* ref) { return static_cast<const SecretRef*>(ref)->empty(); });
    d.field(
         "file", &SecretRef::file,
         "A file on this computer that holds the secret; only its owner may read it (mode 0600).")
        .example("secrets/password")
        .unset_means("not from a file")
        .rule(rules::local_path())
        .local_file();
    d.field("env", &SecretRef::env,
            "An environment variable of the slipway command that holds the secret.")
        .example("SLIPWAY_PASSWORD")
        .unset_means("not from the environment")
        .rule(rules::env_name());
    d.field("prompt", &SecretRef::prompt, "Ask on the terminal when the run starts.")
        .example("true");
    d.check([](const SecretRef& ref, Scope& scope) {
        const int given =
            (ref.file.empty() ? 0 : 1) + (ref.env.empty() ? 0 : 1) + (ref.prompt ? 1 : 0);
        if (given == 1) return;
        scope.error("SPEC-SECRET-REF", "",
                    given == 0 ? "says nowhere where the secret is"
                               : "names more than one place for the secret",
                    "give exactly one of file, env and prompt: true");
    });
}

void describe(Describe<Taint>& d) {
    d.field("key", &Taint::key, "Name of the taint.")
        .example("dedicated")
        .required()
        .rule(rules::label_key());
    d.field("value", &Taint::value, "Value of the taint.")
        .example("storage")
        .unset_means("a taint without a value")
        .rule(rules::label_value());
    d.field("effect", &Taint::effect, "What happens to pods that do not tolerate it.")
        .example("NoSchedule")
        .required()
        .one_of({"NoSchedule", "PreferNoSchedule", "NoExecute"});
}

void describe(Describe<Become>& d) {
    d.field("enabled", &Become::enabled, "Use sudo when the login user is not root.")
        .example("true");
    d.field("password", &Become::password, "The password sudo asks for.")
        .example("{prompt: true}")
        .unset_means("sudo asks for none");
}

void describe(Describe<Host>& d) {
    d.field("name", &Host::name, "Name of the machine; it becomes its host name and its node name.")
        .example("cp1")
        .required()
        .rule(rules::dns_label());
    d.field("address", &Host::address,
            "How this computer reaches it: an IP address, a host name, or `local` for this very "
            "machine.")
        .example("10.0.0.11")
        .required()
        .rule(rules::host_address());
    d.field("internalAddress", &Host::internal_address, "The address the other nodes use.")
        .example("192.168.0.11")
        .unset_means("the same as address")
        .rule(rules::address());
    d.field("port", &Host::port, "Port of the SSH server.").example("22").range(1, 65535);
    d.field("user", &Host::user, "User to log in as; without root rights, see become.")
        .example("ops")
        .rule(rules::login_user());
    d.field("key", &Host::key, "The private key to log in with.")
        .example("{file: ~/.ssh/id_ed25519}")
        .unset_means("what the SSH client offers by itself: agent, default keys");
    d.field("password", &Host::password, "The password to log in with.")
        .example("{prompt: true}")
        .unset_means("log in by key");
    d.field("bastion", &Host::bastion, "Name of another host of the spec to connect through.")
        .example("gate")
        .unset_means("connect directly")
        .rule(rules::dns_label());
    d.field("become", &Host::become, "How root rights are gained.");
    d.field("roles", &Host::roles, "What the machine does in the cluster.")
        .example("[control-plane, worker]")
        .required()
        .at_least_one()
        .unordered();
    d.field("labels", &Host::labels, "Labels of the node.")
        .example("{disk: ssd}")
        .keys(rules::label_key())
        .rule(rules::label_value());
    d.field("taints", &Host::taints, "Taints of the node.")
        .example("[{key: dedicated, value: storage, effect: NoSchedule}]")
        .unordered();
    d.field("arch", &Host::arch, "Architecture the machine must have.")
        .example("amd64")
        .unset_means("read from the machine")
        .one_of({"amd64", "arm64"});
}

}  // namespace slipway::config
