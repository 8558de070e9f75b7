// firewall-cmd and ufw. Rules stand in Section::firewall:
//   "permanent ZONE service NAME", "runtime ZONE port 6443/tcp"    firewalld
//   "ufw NAME"                                                     ufw; NAME an application or port
#include "base/text.hpp"
#include "remote/commands.hpp"
#include "remote/machine.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::remote::commands {

namespace {

// What firewalld knows without a file of ours.
constexpr std::array<std::string_view, 6> kServices = {"cockpit", "dhcpv6-client", "http",
                                                       "https",   "ssh",           "ntp"};

bool is_service(const Model& model, std::string_view name) {
    return std::ranges::find(kServices, name) != kServices.end() ||
           model.file(fmt::format("/etc/firewalld/services/{}.xml", name)) != nullptr;
}

// 6443/tcp or 30000-32767/udp
bool is_port(std::string_view text, char range_mark) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || slash == 0) return false;
    const std::string_view protocol = text.substr(slash + 1);
    return (protocol == "tcp" || protocol == "udp" || protocol == "sctp") &&
           std::ranges::all_of(text.substr(0, slash),
                               [&](char c) { return (c >= '0' && c <= '9') || c == range_mark; });
}

struct FirewalldCall {
    bool permanent = false;
    std::string zone = "public";
    std::string verb;  // add, remove, query, list; or state, reload, get-services
    std::string kind;  // service, port
    std::string value;
};

std::optional<FirewalldCall> parse(std::span<const std::string> args) {
    FirewalldCall call;
    for (const std::string& arg : args) {
        if (arg == "--permanent") {
            call.permanent = true;
        } else if (arg == "--quiet" || arg == "-q") {
            continue;
        } else if (arg.starts_with("--zone=")) {
            call.zone = arg.substr(7);
        } else if (call.verb.empty() &&
                   (arg == "--state" || arg == "--reload" || arg == "--get-services")) {
            call.verb = arg.substr(2);
        } else if (call.verb.empty() && (arg == "--list-services" || arg == "--list-ports")) {
            call.verb = "list";
            call.kind = arg == "--list-ports" ? "port" : "service";
        } else {
            const std::size_t equals = arg.find('=');
            const std::size_t dash = arg.rfind('-', equals);
            if (!call.verb.empty() || equals == std::string::npos || dash < 3) return std::nullopt;
            call.verb = arg.substr(2, dash - 2);
            call.kind = arg.substr(dash + 1, equals - dash - 1);
            call.value = arg.substr(equals + 1);
            const bool known =
                (call.verb == "add" || call.verb == "remove" || call.verb == "query") &&
                (call.kind == "service" || call.kind == "port");
            if (!known) return std::nullopt;
        }
    }
    return call.verb.empty() ? std::nullopt : std::optional(call);
}

CommandResult reload(Model& model) {
    model.touch();
    for (const std::string& rule : model.names(Section::firewall, "runtime ")) {
        const std::string permanent = "permanent " + rule.substr(8);
        if (model.text(Section::firewall, permanent) == nullptr)
            model.remove({Section::firewall, rule});
    }
    for (const std::string& rule : model.names(Section::firewall, "permanent ")) {
        const std::size_t mark = rule.find(" service ");
        if (mark != std::string::npos && !is_service(model, rule.substr(mark + 9))) continue;
        model.set({Section::firewall, "runtime " + rule.substr(10)}, "allow");
    }
    return printed("success\n");
}

CommandResult list(const Model& model, const std::string& prefix) {
    std::vector<std::string> found = model.names(Section::firewall, prefix);
    for (std::string& rule : found) rule.erase(0, prefix.size());
    return printed(join(found, " ") + "\n");
}

}  // namespace

CommandResult firewall_cmd(Invocation& in) {
    const std::optional<FirewalldCall> call = parse(in.args);
    if (!call) return failed(2, "usage: see firewall-cmd man page\nUnrecognized arguments\n");
    Model& model = in.model;
    const bool running = machine::unit(model, "firewalld").active;
    if (call->verb == "state") {
        return running ? printed("running\n") : failed(252, "not running\n");
    }
    if (!running) return failed(252, "FirewallD is not running\n");
    if (call->verb == "reload") return reload(model);
    if (call->verb == "get-services") {
        std::vector<std::string> names(kServices.begin(), kServices.end());
        for (const std::string& path : model.names(Section::file, "/etc/firewalld/services/")) {
            if (path.ends_with(".xml")) names.push_back(path.substr(24, path.size() - 28));
        }
        return printed(join(names, " ") + "\n");
    }
    const std::string prefix =
        fmt::format("{} {} {} ", call->permanent ? "permanent" : "runtime", call->zone, call->kind);
    if (call->verb == "list") return list(model, prefix);
    const std::string rule = prefix + call->value;
    const bool present = model.text(Section::firewall, rule) != nullptr;
    if (call->verb == "query") return {present ? 0 : 1, present ? "yes\n" : "no\n", ""};
    if (call->verb == "remove") {
        model.remove({Section::firewall, rule});
        CommandResult result = printed("success\n");
        if (!present)
            result.err = fmt::format("Warning: NOT_ENABLED: {}\n", printable(call->value));
        return result;
    }
    if (call->kind == "service" && !is_service(model, call->value)) {
        return failed(101, fmt::format("Error: INVALID_SERVICE: {}\n", printable(call->value)));
    }
    if (call->kind == "port" && !is_port(call->value, '-')) {
        return failed(102, fmt::format("Error: INVALID_PORT: {}\n", printable(call->value)));
    }
    model.set({Section::firewall, rule}, "allow");
    CommandResult result = printed("success\n");
    if (present) result.err = fmt::format("Warning: ALREADY_ENABLED: {}\n", call->value);
    return result;
}

namespace {

// Application profiles are INI files; a [Name] line begins one.
std::vector<std::string> applications(const Model& model) {
    std::vector<std::string> out = {"OpenSSH"};
    for (const std::string& path : model.names(Section::file, "/etc/ufw/applications.d/")) {
        for (const std::string& line : split(model.file(path)->content, '\n')) {
            const std::string_view text = trim(line);
            if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
                out.emplace_back(text.substr(1, text.size() - 2));
            }
        }
    }
    return out;
}

bool is_application(const Model& model, const std::string& name) {
    const std::vector<std::string> all = applications(model);
    return std::ranges::find(all, name) != all.end();
}

CommandResult no_application(const std::string& name) {
    return failed(1,
                  fmt::format("ERROR: Could not find a profile matching '{}'\n", printable(name)));
}

CommandResult ufw_status(const Model& model) {
    if (!machine::unit(model, "ufw").active) return printed("Status: inactive\n");
    std::string out =
        "Status: active\n\nTo                         Action      From\n"
        "--                         ------      ----\n";
    for (const std::string& rule : model.names(Section::firewall, "ufw ")) {
        out += fmt::format("{:<26} ALLOW       Anywhere\n", rule.substr(4));
    }
    return printed(out);
}

CommandResult ufw_app(Invocation& in, std::span<const std::string> args) {
    if (args.size() == 1 && args[0] == "list") {
        return printed("Available applications:\n  " + join(applications(in.model), "\n  ") + "\n");
    }
    if (args.size() != 2 || (args[0] != "update" && args[0] != "info")) {
        return failed(1, "ERROR: Invalid syntax\n");
    }
    if (!is_application(in.model, args[1])) return no_application(args[1]);
    if (args[0] == "info") return printed(fmt::format("Profile: {}\n", args[1]));
    in.model.touch();
    return printed(fmt::format("Rules updated for profile '{}'\n", args[1]));
}

}  // namespace

CommandResult ufw(Invocation& in) {
    std::span<const std::string> args = in.args;
    if (!args.empty() && args[0] == "--force") args = args.subspan(1);
    const std::string verb = args.empty() ? "" : args[0];
    if (args.size() == 1 && verb == "status") return ufw_status(in.model);
    if (args.size() == 1 && verb == "reload") {
        in.model.touch();
        return printed("Firewall reloaded\n");
    }
    if (args.size() == 1 && (verb == "enable" || verb == "disable")) {
        const bool on = verb == "enable";
        machine::set_unit(in.model, "ufw", {.exists = true, .enabled = on, .active = on});
        return printed(on ? "Firewall is active and enabled on system startup\n"
                          : "Firewall stopped and disabled on system startup\n");
    }
    if (verb == "app") return ufw_app(in, args.subspan(1));
    const bool remove = verb == "delete" && args.size() == 3 && args[1] == "allow";
    if (!remove && !(verb == "allow" && args.size() == 2))
        return failed(1, "ERROR: Invalid syntax\n");
    const std::string& what = args.back();
    const std::string rule = "ufw " + what;
    const bool present = in.model.text(Section::firewall, rule) != nullptr;
    if (remove) {
        in.model.remove({Section::firewall, rule});
        return printed(present ? "Rule deleted\n" : "Could not delete non-existent rule\n");
    }
    if (!is_port(what, ':') && !is_application(in.model, what)) return no_application(what);
    in.model.set({Section::firewall, rule}, "allow");
    return printed(present ? "Skipping adding existing rule\n" : "Rule added\n");
}

}  // namespace slipway::remote::commands
