#include "config/fields.hpp"
#include "config/rules.hpp"

namespace slipway::config {

void describe(Describe<Script>& d) {
    d.field("name", &Script::name, "Name of the script, in plans and logs.")
        .example("mount-data")
        .required()
        .rule(rules::dns_label());
    d.field("roles", &Script::roles, "Hosts with any of these roles run it.")
        .example("[worker]")
        .unset_means("every host")
        .unordered();
    d.field("script", &Script::script, "The text of the script; it runs as root.")
        .example("mount /dev/vdb /data")
        .unset_means("taken from file");
    d.field("file", &Script::file, "A file on this computer with the script.")
        .example("scripts/mount-data.sh")
        .unset_means("taken from script")
        .rule(rules::local_path())
        .local_file();
    d.field("template", &Script::is_template,
            "Replace `{{ name }}` in the text by values, as cluster.name, host.address, values.X.")
        .example("true");
    d.field("env", &Script::env,
            "Environment variables for the script; `{{ name }}` is replaced. Not for secrets.")
        .example("{DEVICE: /dev/vdb}")
        .keys(rules::env_name())
        .rule(rules::one_line());
    d.field("timeoutSeconds", &Script::timeout_seconds, "How long it may take.")
        .example("600")
        .range(1, 86400);
    d.check([](const Script& s, Scope& scope) {
        if (s.script.empty() != s.file.empty()) return;
        scope.error("SPEC-SCRIPT", "",
                    s.file.empty() ? "has no script" : "has both script and file",
                    "give exactly one of script and file");
    });
}

void describe(Describe<OperatorHook>& d) {
    d.field("name", &OperatorHook::name, "Name of the hook, in plans and logs.")
        .example("notify")
        .required()
        .rule(rules::dns_label());
    d.field("command", &OperatorHook::command,
            "The program and its arguments; no shell reads them. A program without a slash is "
            "looked for in PATH, one with a slash from the spec's folder.")
        .example("[/usr/local/bin/notify, ready]")
        .required()
        .at_least_one()
        .rule(rules::argument())
        .local_program();
    d.field("env", &OperatorHook::env,
            "Environment variables for the program; `{{ name }}` is replaced. Not for secrets.")
        .example("{CHANNEL: ops}")
        .keys(rules::env_name())
        .rule(rules::one_line());
    d.field("timeoutSeconds", &OperatorHook::timeout_seconds, "How long it may take.")
        .example("600")
        .range(1, 86400);
    d.check([](const OperatorHook& hook, Scope& scope) {
        if (!hook.command.front().empty()) return;
        scope.error("SPEC-BAD-VALUE", "command[0]", "is empty", "name the program");
    });
}

void describe(Describe<FileCopy>& d) {
    d.field("from", &FileCopy::from,
            "The file on this computer, or a folder: then every regular file below it.")
        .example("files/motd")
        .required()
        .rule(rules::local_path())
        .local_file();
    d.field(
         "to", &FileCopy::to,
         "Where it goes on the host: the path of the file or folder; with a slash at its end, the "
         "folder a file goes into.")
        .example("/etc/motd")
        .required()
        .rule(rules::absolute_path());
    d.field("mode", &FileCopy::mode, "Permissions, in octal.")
        .example("0644")
        .unset_means("0755 for what is executable here, else 0644")
        .rule(rules::file_mode());
    d.field("roles", &FileCopy::roles, "Hosts with any of these roles get it.")
        .example("[worker]")
        .unset_means("every host")
        .unordered();
    d.field("template", &FileCopy::is_template,
            "Replace `{{ name }}` in the content by values, as in scripts.")
        .example("true");
}

void describe(Describe<Hooks>& d) {
    d.field("files", &Hooks::files, "Files copied to hosts before any script runs.")
        .example("[{from: files/motd, to: /etc/motd}]");
    d.field("preInstall", &Hooks::pre_install,
            "Scripts on hosts before anything else is changed, in this order.")
        .example("[{name: mount-data, roles: [worker], file: scripts/mount-data.sh}]");
    d.field("postClusterReady", &Hooks::post_cluster_ready,
            "Scripts on hosts once the cluster answers, in this order.")
        .example("[{name: register, roles: [control-plane], file: scripts/register.sh}]");
    d.field("postInstall", &Hooks::post_install,
            "Scripts on hosts when everything else is done, in this order.")
        .example("[{name: tidy, script: rm -f /root/installer.log}]");
    d.field("operatorPreInstall", &Hooks::operator_pre_install,
            "Programs on this computer before anything is done on a host, in this order.")
        .example("[{name: notify, command: [/usr/local/bin/notify, start]}]");
    d.field("operatorPostClusterReady", &Hooks::operator_post_cluster_ready,
            "Programs on this computer once the cluster answers, in this order.")
        .example("[{name: notify, command: [/usr/local/bin/notify, ready]}]");
    d.field("operatorPostInstall", &Hooks::operator_post_install,
            "Programs on this computer after everything else, in this order.")
        .example("[{name: notify, command: [/usr/local/bin/notify, done]}]");
    d.field("values", &Hooks::values,
            "Values of your own for templates, as `{{ values.NAME }}`. Not for secrets.")
        .example("{site: berlin}")
        .keys(rules::env_name())
        .rule(rules::one_line());
}

void describe(Describe<Steps>& d) {
    d.field("skip", &Steps::skip,
            "Steps to leave out, everywhere or on one host; only steps that allow it. Names of TKE "
            "and KubeKey are taken too (`slipway steps --aliases`).")
        .example("[set-hostname, w1/disable-swap]")
        .rule(rules::step_id())
        .unordered();
    d.field("delegate", &Steps::delegate, "Steps that an outside program performs and reports.")
        .example("[open-firewall]")
        .rule(rules::step_id())
        .unordered();
}

void describe(Choices<OnFailure>& c) {
    c.add("set-aside", OnFailure::set_aside, "A failed worker is set aside and the others go on.");
    c.add("stop", OnFailure::stop, "Nothing new starts after the first failure.");
}

void describe(Describe<RunLimits>& d) {
    d.field("parallelSteps", &RunLimits::parallel_steps, "Steps at once, over all hosts.")
        .example("256")
        .range(1, 4096);
    d.field("parallelPerHost", &RunLimits::parallel_per_host, "Steps at once on one host.")
        .example("4")
        .range(1, 64);
    d.field("parallelDials", &RunLimits::parallel_dials, "Connections opened at once.")
        .example("8")
        .range(1, 256);
    d.field("parallelUploads", &RunLimits::parallel_uploads, "Large transfers at once.")
        .example("4")
        .range(1, 256);
    d.field("stepTimeoutSeconds", &RunLimits::step_timeout_seconds,
            "Longest time of any step; 0: what each step says.")
        .example("900")
        .range(0, 86400);
    d.field("retries", &RunLimits::retries,
            "Tries after the first when the cause may pass, as a lost connection.")
        .example("4")
        .range(0, 100);
    d.field("onFailure", &RunLimits::on_failure, "What a failed worker means for the run.")
        .example("stop");
    d.field("maxFailedWorkers", &RunLimits::max_failed_workers,
            "Workers that may fail before the run stops; -1: any number.")
        .example("2")
        .range(-1, 100000);
}

}  // namespace slipway::config
