#include "agent/accounts.hpp"

#include "agent/machine.hpp"
#include "agent/process.hpp"
#include "agent/system.hpp"

#include <charconv>
#include <functional>
#include <vector>

#include <sys/stat.h>

namespace slipway::agent {

namespace {

constexpr const char* kUsers = "/etc/passwd";
constexpr const char* kGroups = "/etc/group";
constexpr unsigned kFirstPerson = 1000;  // below are the system's own accounts

using Words = std::vector<std::string_view>;

Words split(std::string_view line, char separator) {
    Words out;
    for (std::size_t at = 0; at <= line.size();) {
        const std::size_t end = std::min(line.find(separator, at), line.size());
        out.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

std::optional<unsigned> number(std::string_view text) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// The first line for which `wanted` says yes.
void each_line(const std::string& path, const std::function<bool(const Words&)>& wanted) {
    const std::optional<std::string> text = read_text(path);
    if (!text) return;
    for (const std::string_view line : split(*text, '\n')) {
        if (wanted(split(line, ':'))) return;
    }
}

unsigned id_of(const std::string& name, const char* file, const char* what) {
    std::optional<unsigned> found;
    each_line(file, [&](const Words& words) {
        if (words.size() >= 3 && words[0] == name) found = number(words[2]);
        return found.has_value();
    });
    if (!found) found = number(name);
    if (!found) throw Failed("not-found", std::string("there is no ") + what + " " + name);
    return *found;
}

std::string name_of(unsigned id, const char* file) {
    std::string found;
    each_line(file, [&](const Words& words) {
        if (words.size() >= 3 && number(words[2]) == id) found = words[0];
        return !found.empty();
    });
    return found.empty() ? std::to_string(id) : found;
}

void check_name(const std::string& name) {
    if (name.empty() || name.front() == '-' || name.find_first_of(":\n/") != std::string::npos)
        throw Failed("bad-request", "'" + name + "' is no name of a user");
}

}  // namespace

std::optional<Account> find_account(std::string_view name, const std::string& file) {
    std::optional<Account> found;
    each_line(file, [&](const Words& words) {
        if (words.size() < 7 || words[0] != name) return false;
        found = Account{.name = std::string(words[0]),
                        .home = std::string(words[5]),
                        .shell = std::string(words[6]),
                        .uid = number(words[2]).value_or(0),
                        .gid = number(words[3]).value_or(0)};
        return true;
    });
    return found;
}

unsigned uid_of(const std::string& owner) { return id_of(owner, kUsers, "user"); }
unsigned gid_of(const std::string& group) { return id_of(group, kGroups, "group"); }
std::string owner_name(unsigned uid) { return name_of(uid, kUsers); }
std::string group_name(unsigned gid) { return name_of(gid, kGroups); }

wire::User user_state(const std::string& name) {
    check_name(name);
    const std::optional<Account> account = find_account(name);
    if (!account) return {.exists = false, .name = name};
    return {.exists = true,
            .name = name,
            .home = account->home,
            .shell = account->shell,
            .system = account->uid < kFirstPerson};
}

// A group of its own, whatever login.defs says. The home is made by whoever asked: useradd would
// fill it with copies of /etc/skel, which nobody can tell from the user's own files when it has to
// go.
void add_user(const wire::User& user, Request& request) {
    check_name(user.name);
    std::vector<std::string> words = {"useradd", "--user-group", "--no-create-home"};
    if (user.system) words.emplace_back("--system");
    if (!user.home.empty()) words.insert(words.end(), {"--home-dir", user.home});
    if (!user.shell.empty()) words.insert(words.end(), {"--shell", user.shell});
    words.insert(words.end(), {"--", user.name});
    need_tool(std::move(words), request);
}

void remove_user(const std::string& name, Request& request) {
    check_name(name);
    if (!find_account(name)) return;
    need_tool({"userdel", "--", name}, request);
}

}  // namespace slipway::agent
