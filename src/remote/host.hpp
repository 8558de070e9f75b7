// A host as steps see it: facts, files, commands, units, packages, and the few kernel things a
// machine is prepared with. Transport (simulated, local, SSH) is behind this interface.
//
// Every call may throw HostError (transient when the link is at fault), RemoteError, or Cancelled.
// Each takes a CallOptions with the step's stop token, so a cancelled step ends its call. Reading
// never changes a host. Commands are argument vectors; nothing here takes shell text.
#pragma once

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/secret.hpp"
#include "remote/facts.hpp"
#include "wire/messages.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::remote {

struct CallOptions {
    std::stop_token stop = {};
};

struct FileState {
    std::string content;
    unsigned mode = 0644;
    std::string owner = "root";
    std::string group = "root";
    bool folder = false;
    std::string link_target = {};  // a symbolic link when not empty
    bool operator==(const FileState&) const = default;
};

// What is at a path, without its content.
struct FileInfo {
    bool folder = false;
    std::string link_target = {};
    unsigned mode = 0;
    std::string owner = {}, group = {};
    std::uint64_t size = 0;
    std::string sha256 = {};  // of a file's content
    bool operator==(const FileInfo&) const = default;
};

// A large file of this computer and its place on the host.
struct Upload {
    std::filesystem::path from;
    std::string path;
    unsigned mode = 0644;
    std::string sha256 = {};  // "" = computed while it is sent
    std::uint64_t size = 0;   // 0 = as the file says
};

struct Uploaded {
    bool already = false;       // the file was there with this digest and mode
    std::uint64_t resumed = 0;  // bytes an earlier attempt had sent
    std::uint64_t sent = 0;     // bytes that were sent now
};

struct CommandResult {
    int exit_code = 0;
    std::string out;
    std::string err;
};

struct Command {
    std::vector<std::string> argv;
    std::map<std::string, std::string> env = {};
    std::string input = {};
    std::string folder = {};  // where it runs; "" = /
    // Not empty: the command runs as a job of this name on the host, which a lost link does not
    // end. What an earlier, interrupted attempt has started under this name is followed instead of
    // started again, if `follow` says that there was one; otherwise its remains are removed first.
    // So are, always, other jobs whose names differ in nothing but what comes after the last dot:
    // WORK.TIME is the work as it was begun at that time.
    std::string job = {};
    bool follow = false;
    Millis deadline = std::chrono::minutes(5);
    // Called for each line as it comes, on the calling thread.
    std::function<void(std::string_view stream, std::string_view line)> on_line = {};
};

struct UnitState {
    bool exists = false;
    bool enabled = false;
    bool active = false;
    bool masked = false;
    bool operator==(const UnitState&) const = default;
};

struct UserState {
    std::string home;
    std::string shell;
    bool system = true;
    bool operator==(const UserState&) const = default;
};

using wire::Fetch;
using wire::Fetched;
using wire::Port;
using wire::ProbeAnswer;
using wire::Protocol;

// Ports held open for probes, until this object goes.
class Listener {
  public:
    virtual ~Listener() = default;
    // Ports that could not be opened, and why ("address already in use").
    virtual const std::map<std::uint32_t, std::string>& refused() const = 0;
};

class Host {
  public:
    virtual ~Host() = default;

    virtual const std::string& name() const = 0;

    // Everything in one round trip.
    virtual Facts facts(const FactsQuery& query, const CallOptions& call) = 0;

    virtual std::optional<FileState> read_file(const std::string& path,
                                               const CallOptions& call) = 0;
    // Atomic: the old or the new file is there at any moment. Missing parent folders are made 0755.
    virtual void write_file(const std::string& path, const FileState& file,
                            const CallOptions& call) = 0;
    virtual void remove_file(
        const std::string& path,
        const CallOptions& call) = 0;  // absent is fine; folders only when empty

    // What is at the path, of any size; nullopt: nothing.
    virtual std::optional<FileInfo> file_info(const std::string& path, const CallOptions& call) = 0;
    // Names in a folder, sorted; nullopt when it is no folder.
    virtual std::optional<std::vector<std::string>> list_folder(const std::string& path,
                                                                const CallOptions& call) = 0;
    // Over the connection, in flat memory; goes on where an earlier attempt stopped. The old or the
    // new file is there at any moment; what does not have the digest is not put in place. Missing
    // parent folders are made 0755. `progress` is told the bytes so far.
    virtual Uploaded upload(const Upload& what, const std::function<void(std::uint64_t)>& progress,
                            const CallOptions& call) = 0;
    // Everything at and below a path goes, absent is fine. What is mounted there is unmounted
    // first, no symbolic link is followed and no other file system entered. With `keep_top` a
    // folder stays, empty; it may be a mount point. Only paths may_remove_tree() allows
    // (base/removable.hpp).
    virtual void remove_tree(const std::string& path, bool keep_top, const CallOptions& call) = 0;

    virtual CommandResult run(const Command& command, const CallOptions& call) = 0;

    virtual UnitState unit(const std::string& unit, const CallOptions& call) = 0;
    // Brings a unit to the wanted state (enable/disable, start/stop, mask/unmask). `exists` is not
    // changed.
    virtual void set_unit(const std::string& unit, const UnitState& wanted,
                          const CallOptions& call) = 0;
    virtual void restart_unit(const std::string& unit, const CallOptions& call) = 0;

    virtual std::optional<std::string> package_version(const std::string& package,
                                                       const CallOptions& call) = 0;
    virtual void install_packages(const std::vector<std::string>& packages,
                                  const CallOptions& call) = 0;
    virtual void remove_packages(const std::vector<std::string>& packages,
                                 const CallOptions& call) = 0;

    virtual std::optional<std::string> sysctl(const std::string& key, const CallOptions& call) = 0;
    virtual void set_sysctl(const std::string& key, const std::string& value,
                            const CallOptions& call) = 0;

    virtual bool module_loaded(const std::string& module, const CallOptions& call) = 0;
    virtual void load_module(const std::string& module, const CallOptions& call) = 0;
    virtual void unload_module(const std::string& module, const CallOptions& call) = 0;

    virtual std::vector<std::string> swaps(const CallOptions& call) = 0;  // devices in use
    virtual void swap_off(const std::string& device, const CallOptions& call) = 0;
    virtual void swap_on(const std::string& device, const CallOptions& call) = 0;

    virtual std::optional<UserState> user(const std::string& user, const CallOptions& call) = 0;
    virtual void add_user(const std::string& user, const UserState& wanted,
                          const CallOptions& call) = 0;
    virtual void remove_user(const std::string& user, const CallOptions& call) = 0;

    virtual std::map<std::string, std::string> mounts(
        const CallOptions& call) = 0;  // folder -> source

    // A file by its digest from an HTTP(S) server, straight to the host; goes on where an earlier
    // attempt stopped. `progress` is told the bytes so far.
    virtual Fetched fetch(const Fetch& what, const std::function<void(std::uint64_t)>& progress,
                          const CallOptions& call) = 0;

    // Can hosts reach one another? One listens, the others probe; both name the same nonce.
    virtual std::unique_ptr<Listener> listen(const std::vector<Port>& ports,
                                             const std::string& nonce, const CallOptions& call) = 0;
    virtual std::vector<ProbeAnswer> probe(const std::vector<Port>& targets,
                                           const std::string& nonce, Millis timeout,
                                           const CallOptions& call) = 0;

    // This run acts on the host from now on; throws LockedError HOST-BUSY when another one does.
    virtual void claim(const std::string& owner, const std::string& label,
                       const CallOptions& call) = 0;
};

// The hosts of one run by name. Valid for the whole run; safe to call from many threads.
class Fleet {
  public:
    virtual ~Fleet() = default;
    virtual Host& host(const std::string& name) = 0;  // throws HostError HOST-UNKNOWN

    // The run's results are in the journal: the hosts need not keep them any longer.
    virtual void results_recorded() {}
    // Everything on the host has been undone: nothing of Slipway itself stays there either.
    virtual void leave(const std::string&) {}
};

}  // namespace slipway::remote
