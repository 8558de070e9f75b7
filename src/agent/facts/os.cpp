// The distribution: its name and version, its locale, whether it waits for a reboot.
#include "agent/facts/lines.hpp"
#include "agent/facts/topics.hpp"

#include <algorithm>
#include <cctype>

#include <stdlib.h>

namespace slipway::agent {

namespace {

// An update of the kernel takes the running one's modules away on some systems: nothing can be
// loaded until the machine is started anew.
bool lost_its_modules(const Root& root) {
    const std::vector<std::string> kernels = root.list("/lib/modules");
    const std::string running = root.line("/proc/sys/kernel/osrelease");
    const bool shares_a_kernel = root.exists("/run/systemd/container") ||
                                 root.exists("/.dockerenv") || root.exists("/run/.containerenv");
    return !shares_a_kernel && !kernels.empty() && !running.empty() &&
           std::find(kernels.begin(), kernels.end(), running) == kernels.end();
}

bool reboot_required(const Root& root) {
    return root.exists("/run/reboot-required") || root.exists("/run/reboot-needed") ||
           lost_its_modules(root);
}

bool names_utf8(std::string locale) {
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

// Bare systems set no locale at all: programs then write plain ASCII, which is UTF-8 too. Only one
// that was set to something else is worth a word.
bool locale_is_utf8(const Root& root) {
    if (root.is_machine()) {
        for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
            const char* value = ::getenv(name);
            const std::string locale = value == nullptr ? "" : value;
            if (!locale.empty() && locale != "C" && locale != "POSIX") return names_utf8(locale);
        }
    }
    for (const char* file : {"/etc/default/locale", "/etc/locale.conf"}) {
        const auto settings = assignments(root.read(file));
        const auto lang = settings.find("LANG");
        if (lang == settings.end() || lang->second == "C" || lang->second == "POSIX") continue;
        return names_utf8(lang->second);
    }
    return true;
}

}  // namespace

void write_os(JsonWriter& json, const Root& root) {
    std::string text = root.read("/etc/os-release");
    if (text.empty()) text = root.read("/usr/lib/os-release");
    auto release = assignments(text);
    json.member("osId", release["ID"]);
    json.member("osVersion", release["VERSION_ID"]);
    json.member("osName", release["PRETTY_NAME"]);
    json.member("rebootRequired", reboot_required(root));
    json.member("localeUtf8", locale_is_utf8(root));
}

}  // namespace slipway::agent
