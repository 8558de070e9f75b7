// The verbs of the agent: what each is asked and what it answers. One struct a message; the comment
// of a verb says which streams it uses beside them.
#pragma once

#include "wire/codec.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slipway::wire {

enum class Verb : std::uint8_t {
    facts = 1,         // FactsQuery -> Text (JSON, see remote/facts.hpp)
    exec = 2,          // Exec, stream in -> streams out and err, ExitStatus
    read_file = 3,     // Path -> stream out, FileInfo
    write_file = 4,    // WriteFile, stream in -> Written
    remove_file = 5,   // Path -> Nothing; absent is fine, folders only when empty
    unit = 6,          // Text -> Unit
    set_unit = 7,      // SetUnit -> Nothing
    restart_unit = 8,  // Text -> Nothing
    package = 9,       // Text -> Text, "" when it is not installed
    packages = 10,     // ChangePackages -> Nothing
    sysctl = 11,       // Text -> Found
    set_sysctl = 12,   // Pair -> Nothing
    module = 13,       // Text -> Flag
    set_module = 14,   // Switch -> Nothing
    swaps = 15,        // Nothing -> Texts
    set_swap = 16,     // Switch -> Nothing
    user = 17,         // Text -> User
    add_user = 18,     // User -> Nothing
    remove_user = 19,  // Text -> Nothing
    mounts = 20,       // Nothing -> Map, folder -> source
    fetch = 21,        // Fetch -> Fetched; stream out tells the bytes so far, in decimal lines
    start_job = 22,    // StartJob, stream in -> Flag, whether it was started just now
    follow_job = 23,   // FollowJob -> streams out and err, ExitStatus
    forget_job = 24,   // Text -> Nothing; ends it when it still runs
    jobs = 25,         // Nothing -> Texts
    tunnel = 26,       // Tunnel, stream in -> stream out, Nothing
    listen = 27,       // Listen -> stream out: Refused, encoded, once; then open until cancelled
    probe = 28,        // Probe -> ProbeAnswers
    claim = 29,        // Claim -> Nothing; held until the connection ends
    clean = 30,        // Nothing -> Texts, what was removed
    list_folder = 31,  // Path -> stream out: names, each with a zero byte behind it; Flag: a folder
    upload = 32,  // Upload -> stream out: where to go on, as UploadStart, encoded, maybe again;
                  // stream in: the content from there on, and its digest if it was not told
                  // -> Uploaded
    remove_tree = 33,  // RemoveTree -> Nothing; absent is fine
};

struct Nothing {
    bool unused = false;
    template <class Archive>
    void fields(Archive& a) {
        a(unused);
    }
};

struct Text {
    std::string text = {};
    template <class Archive>
    void fields(Archive& a) {
        a(text);
    }
};

struct Texts {
    std::vector<std::string> texts = {};
    template <class Archive>
    void fields(Archive& a) {
        a(texts);
    }
};

struct Flag {
    bool yes = false;
    template <class Archive>
    void fields(Archive& a) {
        a(yes);
    }
};

struct Found {
    bool found = false;
    std::string text = {};
    template <class Archive>
    void fields(Archive& a) {
        a(found, text);
    }
};

struct Pair {
    std::string key = {}, value = {};
    template <class Archive>
    void fields(Archive& a) {
        a(key, value);
    }
};

struct Map {
    std::map<std::string, std::string> items = {};
    template <class Archive>
    void fields(Archive& a) {
        a(items);
    }
};

struct Switch {
    std::string name = {};
    bool on = false;
    template <class Archive>
    void fields(Archive& a) {
        a(name, on);
    }
};

struct Hello {
    std::uint32_t protocol = 0;
    std::string arch = {};
    std::string boot_id = {};
    std::int64_t uid = 0;
    std::int64_t pid = 0;
    template <class Archive>
    void fields(Archive& a) {
        a(protocol, arch, boot_id, uid, pid);
    }
};

// How a request failed. `code` is a word the client knows (see agent/failure.hpp); `errno_name` is
// the system's reason where there is one.
struct Failure {
    std::string code = {};
    std::string message = {};
    std::int64_t system_error = 0;
    template <class Archive>
    void fields(Archive& a) {
        a(code, message, system_error);
    }
};

struct FactsQuery {
    std::vector<std::string> modules = {};    // whose state is wanted
    std::vector<std::string> commands = {};   // whose presence is wanted
    std::vector<std::string> leftovers = {};  // paths that should not be there
    std::vector<std::string> resolve = {};    // names the host should be able to resolve
    std::string disk_folder = {};  // where the latency of fsync is measured; "" = nowhere
    template <class Archive>
    void fields(Archive& a) {
        a(modules, commands, leftovers, resolve, disk_folder);
    }
};

struct Exec {
    std::vector<std::string> argv = {};
    std::map<std::string, std::string> env = {};
    std::string folder = {};
    std::int64_t deadline_ms = 0;  // 0: none
    bool has_input = false;
    template <class Archive>
    void fields(Archive& a) {
        a(argv, env, folder, deadline_ms, has_input);
    }
};

struct ExitStatus {
    std::int64_t code = 0;      // 128 + signal when a signal ended it
    bool timed_out = false;     // the deadline passed and its process group was killed
    bool lost = false;          // a job whose machine went down with it
    std::uint64_t dropped = 0;  // bytes of output beyond what is kept
    template <class Archive>
    void fields(Archive& a) {
        a(code, timed_out, lost, dropped);
    }
};

struct Path {
    std::string path = {};
    std::uint64_t limit = 0;  // largest content to send; a larger file is a failure
    bool content = true;      // read_file: false = only what it is (stat), with sha256
    template <class Archive>
    void fields(Archive& a) {
        a(path, limit, content);
    }
};

struct FileInfo {
    bool found = false;
    bool folder = false;
    std::string link_target = {};
    std::uint32_t mode = 0;
    std::string owner = {}, group = {};
    std::uint64_t size = 0;
    std::string sha256 = {};  // of a file's content
    template <class Archive>
    void fields(Archive& a) {
        a(found, folder, link_target, mode, owner, group, size, sha256);
    }
};

struct WriteFile {
    std::string path = {};
    bool folder = false;
    std::string link_target = {};
    std::uint32_t mode = 0644;
    std::string owner = {}, group = {};
    std::uint64_t size = 0;
    std::string sha256 = {};
    bool keep_previous = false;  // what was there stays in the agent's folder, by its digest
    template <class Archive>
    void fields(Archive& a) {
        a(path, folder, link_target, mode, owner, group, size, sha256, keep_previous);
    }
};

struct Written {
    bool changed = false;
    std::string previous_sha256 = {};  // "" when there was no file
    template <class Archive>
    void fields(Archive& a) {
        a(changed, previous_sha256);
    }
};

// A large file of the client; what an earlier attempt sent is kept and continued.
struct Upload {
    std::string path = {};
    std::uint32_t mode = 0644;
    std::string sha256 = {};  // "" = the content is followed by its checksum, in hex
    std::uint64_t size = 0;
    template <class Archive>
    void fields(Archive& a) {
        a(path, mode, sha256, size);
    }
};

struct UploadStart {
    std::uint64_t at = 0;
    template <class Archive>
    void fields(Archive& a) {
        a(at);
    }
};

struct Uploaded {
    bool already = false;        // the file was there with this digest
    bool digest_needed = false;  // nothing was done: a file of this size is there, perhaps the same
    std::uint64_t resumed = 0;   // bytes an earlier attempt had sent
    std::uint64_t received = 0;  // bytes that came now
    template <class Archive>
    void fields(Archive& a) {
        a(already, digest_needed, resumed, received);
    }
};

struct RemoveTree {
    std::string path = {};
    bool keep_top = false;  // a folder stays, empty
    template <class Archive>
    void fields(Archive& a) {
        a(path, keep_top);
    }
};

struct Unit {
    bool exists = false, enabled = false, active = false, masked = false;
    template <class Archive>
    void fields(Archive& a) {
        a(exists, enabled, active, masked);
    }
};

struct SetUnit {
    std::string name = {};
    Unit wanted = {};
    template <class Archive>
    void fields(Archive& a) {
        a(name, wanted);
    }
};

struct ChangePackages {
    std::vector<std::string> install = {}, remove = {};
    template <class Archive>
    void fields(Archive& a) {
        a(install, remove);
    }
};

struct User {
    bool exists = false;
    std::string name = {}, home = {}, shell = {};
    bool system = true;
    template <class Archive>
    void fields(Archive& a) {
        a(exists, name, home, shell, system);
    }
};

// A file by its digest from a server; what an earlier attempt got is kept and continued.
struct Fetch {
    std::string url = {};  // http or https
    std::string sha256 = {};
    std::uint64_t size = 0;  // 0: not known
    std::string path = {};
    std::uint32_t mode = 0644;
    std::string ca_pem = {};  // trusted instead of the system's; "" = system's
    std::map<std::string, std::string> headers = {};  // Authorization, say
    std::int64_t deadline_ms = 0;
    template <class Archive>
    void fields(Archive& a) {
        a(url, sha256, size, path, mode, ca_pem, headers, deadline_ms);
    }
};

struct Fetched {
    bool already = false;       // the file was there with this digest
    std::uint64_t resumed = 0;  // bytes an earlier attempt had got
    std::uint64_t fetched = 0;  // bytes that came now
    template <class Archive>
    void fields(Archive& a) {
        a(already, resumed, fetched);
    }
};

struct StartJob {
    std::string name = {};  // letters, digits, . _ -
    Exec exec = {};
    template <class Archive>
    void fields(Archive& a) {
        a(name, exec);
    }
};

struct FollowJob {
    std::string name = {};
    std::uint64_t out_offset = 0, err_offset = 0;  // what the caller already has
    template <class Archive>
    void fields(Archive& a) {
        a(name, out_offset, err_offset);
    }
};

struct Tunnel {
    std::string host = {};
    std::uint32_t port = 0;
    template <class Archive>
    void fields(Archive& a) {
        a(host, port);
    }
};

enum class Protocol : std::uint8_t { tcp = 0, udp = 1 };

struct Port {
    Protocol protocol = Protocol::tcp;
    std::string address = {};  // listen: "" = all; probe: the other host
    std::uint32_t port = 0;
    std::uint32_t size = 0;  // udp probes: bytes of the whole IP packet, not to be fragmented
    template <class Archive>
    void fields(Archive& a) {
        a(protocol, address, port, size);
    }
};

struct Listen {
    std::vector<Port> ports = {};
    std::string nonce = {};  // what a probe must send to be answered
    std::int64_t deadline_ms = 0;
    template <class Archive>
    void fields(Archive& a) {
        a(ports, nonce, deadline_ms);
    }
};

struct Refused {
    std::vector<std::uint32_t> ports = {};
    std::vector<std::string> reasons = {};
    template <class Archive>
    void fields(Archive& a) {
        a(ports, reasons);
    }
};

struct Probe {
    std::vector<Port> targets = {};
    std::string nonce = {};
    std::int64_t timeout_ms = 0;  // of each; they run beside each other
    template <class Archive>
    void fields(Archive& a) {
        a(targets, nonce, timeout_ms);
    }
};

struct ProbeAnswer {
    bool reached = false;     // our own listener answered
    bool accepted = false;    // something accepted the connection, but not ours
    std::string reason = {};  // refused, timed out, no route, too big …
    std::int64_t micros = 0;
    template <class Archive>
    void fields(Archive& a) {
        a(reached, accepted, reason, micros);
    }
};

struct ProbeAnswers {
    std::vector<ProbeAnswer> answers = {};  // in the order of the targets
    template <class Archive>
    void fields(Archive& a) {
        a(answers);
    }
};

// One engine acts on a host at a time. The same owner may take over from itself: its former
// connection may be dead without the host knowing yet.
struct Claim {
    std::string owner = {};  // who: unique to a state folder
    std::string label = {};  // for people: cluster and operator's computer
    template <class Archive>
    void fields(Archive& a) {
        a(owner, label);
    }
};

}  // namespace slipway::wire
