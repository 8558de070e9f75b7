#include "remote/ssh/bootstrap.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace slipway::remote {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kMostNoise = 1u << 20;
constexpr std::size_t kPortion = 1u << 20;  // of the agent, acknowledged by the shell

// Inside one pair of single quotes, for every login shell alike: no quote, no backslash, no
// exclamation mark, no line break. Words in capitals are filled in.
constexpr std::string_view kScript =
    "umask 077; N=NONCE; LC_ALL=C; export LC_ALL; U=$(id -u); "
    "case $U in 0) set -- /var/lib/slipway/agent;; "
    "*) set -- \"$HOME/.slipway-agent\" \"/var/tmp/.slipway-agent-$U\" "
    "\"/tmp/.slipway-agent-$U\";; "
    "esac; "
    "own() { test -h \"$1\" && return 1; test -O \"$1\"; }; "
    // there already? Folders that belong to somebody else are not looked into: what lies there
    // could say anything. In one's own folder only damage is to be found, and the agent's own word
    // is enough: it is there five times sooner than sha256sum's. Nor are links followed, which
    // somebody else could turn elsewhere in the meantime.
    "F=; for d in \"$@\"; do for D in DIGESTS; do f=\"$d/$D/slipway-agent\"; "
    "if test -x \"$f\" && own \"$d\" && own \"$d/$D\" && own \"$f\" && "
    "test \"$(\"$f\" digest \"$f\" 2>/dev/null)\" = \"$D\"; then F=$f; break 2; fi; done; done; "
    // receive it into the first folder that can be written, then find one it can run from
    "if test -z \"$F\"; then "
    "M=$(uname -m); case $M in ARCHES *) echo \"$N arch $M\"; exit 3;; esac; T=; for d in \"$@\"; "
    "do "
    "if mkdir -p \"$d/$D\" 2>/dev/null && own \"$d\" && own \"$d/$D\" && "
    ": 2>/dev/null >\"$d/$D/.new$$\"; then "
    "T=\"$d/$D/.new$$\"; break; fi; done; "
    "test -n \"$T\" || { echo \"$N nowhere $*\"; exit 4; }; "
    "trap \"\" PIPE; echo \"$N send $M\"; read -r S; R=$S; while test \"$R\" -gt 0; do "
    "P=PORTION; test \"$R\" -ge $P || P=$R; "
    "head -c $P >>\"$T\" || { rm -f \"$T\"; echo \"$N full\"; exit 5; }; "
    "R=$((R-P)); echo \"$N more\"; done; "
    "test $(wc -c <\"$T\") = \"$S\" || { rm -f \"$T\"; echo \"$N damaged\"; exit 5; }; "
    "chmod 700 \"$T\"; case $(\"$T\" digest \"$T\" 2>/dev/null) in "
    "$D) F=\"$d/$D/slipway-agent\"; mv -f \"$T\" \"$F\";; "
    "?*) rm -f \"$T\"; echo \"$N damaged\"; exit 5;; *) "
    "for d in \"$@\"; do f=\"$d/$D/slipway-agent\"; mkdir -p \"$d/$D\" && "
    "own \"$d\" && own \"$d/$D\" && cp \"$T\" \"$f.$$\" && chmod 700 \"$f.$$\" && "
    "mv -f \"$f.$$\" \"$f\" && "
    "test \"$(\"$f\" digest \"$f\" 2>/dev/null)\" = \"$D\" && { F=$f; break; }; "
    "rm -f \"$f\"; done; rm -f \"$T\"; rmdir \"${T%/*}\" 2>/dev/null;; esac; "
    "test -n \"$F\" || { echo \"$N nowhere $*\"; exit 4; }; fi; "
    // become root, and the agent
    "if test \"$U\" = 0 || test BECOME = no; then echo \"$N start\"; exec \"$F\" serve; fi; "
    "command -v sudo >/dev/null 2>&1 || { echo \"$N no-sudo\"; exit 6; }; "
    "if E=$(sudo -n true 2>&1); then echo \"$N start-sudo\"; exec sudo -n -- \"$F\" serve; fi; "
    "case $E in *\" a tty \"*) echo \"$N requiretty\"; exit 6;; esac; "
    "echo \"$N password\"; read -r G; test \"$G\" = go || exit 6; "
    "exec sudo -S -p \"$N-password:\" -- \"$F\" serve";

std::string replace(std::string text, std::string_view what, std::string_view with) {
    const std::size_t at = text.find(what);
    return text.replace(at, what.size(), with);
}

class Dialog {
  public:
    Dialog(int in, int out, int err, std::string nonce, const BootstrapInput& input,
           const std::stop_token& stop)
        : in_(in),
          out_(out),
          err_(err),
          nonce_(std::move(nonce)),
          input_(input),
          stop_(stop),
          until_(Steady::now() + input.deadline) {
        for (const int fd : {in_, out_, err_}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
        be_patient();
    }

    Started run() {
        Started started;
        while (true) {
            const std::vector<std::string> words = split(next_line(), ' ');
            const std::string& verb = words.at(1);
            if (verb == "send") {
                send_agent(words.at(2));
                started.sent = true;
            } else if (verb == "start" || verb == "start-sudo") {
                started.used_sudo = verb == "start-sudo";
                break;
            } else if (verb == "password") {
                started.used_sudo = started.used_password = true;
                give_password();
                break;
            } else {
                fail(verb, join(words, " "));
            }
        }
        await_hello(started);
        return started;
    }

  private:
    [[noreturn]] void fail(const std::string& code, const std::string& detail = "") {
        read_some(err_, err_text_, err_open_);
        throw BootstrapFailure{.code = code,
                               .detail = detail,
                               .stderr_text = err_text_,
                               .noise = spoken_ ? "" : out_text_.substr(0, 2000)};
    }

    // Something has happened: the other side has its time again.
    void be_patient(int times = 1) { silent_until_ = Steady::now() + input_.patience * times; }

    void check_time() {
        if (stop_.stop_requested()) throw Cancelled();
        if (Steady::now() > std::min(until_, silent_until_)) fail("stalled");
    }

    // Waits until one of the streams brings something.
    void wait() {
        check_time();
        if (!out_open_) fail("ended");
        std::array<pollfd, 2> wait = {pollfd{out_, POLLIN, 0},
                                      pollfd{err_open_ ? err_ : -1, POLLIN, 0}};
        if (::poll(wait.data(), wait.size(), 100) > 0) be_patient();
        if (wait[1].revents != 0) read_some(err_, err_text_, err_open_);
        if (wait[0].revents != 0) read_some(out_, out_text_, out_open_);
        if (out_text_.size() > kMostNoise || err_text_.size() > kMostNoise)
            fail("protocol", "it says too much");
    }

    static void read_some(int fd, std::string& text, bool& open) {
        std::array<char, 65536> buffer;
        const ssize_t n = ::read(fd, buffer.data(), buffer.size());
        if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) open = false;
    }

    // The next line of ours, wherever in a line noise left off.
    std::string next_line() {
        const std::string mark = nonce_ + " ";
        while (true) {
            const std::size_t at = out_text_.find(mark);
            if (at != std::string::npos) {
                const std::size_t end = out_text_.find('\n', at);
                if (end != std::string::npos) {
                    std::string line = out_text_.substr(at, end - at);
                    out_text_.erase(0, end + 1);
                    spoken_ = true;
                    return line;
                }
            }
            wait();
        }
    }

    void write_all(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t n = ::write(in_, bytes.data(), bytes.size());
            if (n > 0) {
                bytes.remove_prefix(static_cast<std::size_t>(n));
                be_patient();
                continue;
            }
            if (n < 0 && errno != EAGAIN && errno != EINTR) fail("ended");
            check_time();
            pollfd wait{.fd = in_, .events = POLLOUT, .revents = 0};
            ::poll(&wait, 1, 100);
        }
    }

    void send_agent(const std::string& machine) {
        const auto image = input_.images.find(machine);
        if (image == input_.images.end()) fail("arch", machine);
        write_all(fmt::format("{}\n", image->second.bytes.size()));
        // What has not been written yet, sshd keeps in a buffer that it copies with every packet.
        for (std::string_view rest = image->second.bytes; !rest.empty();) {
            write_all(rest.substr(0, kPortion));
            rest.remove_prefix(std::min(kPortion, rest.size()));
            const std::vector<std::string> words = split(next_line(), ' ');
            if (words.at(1) != "more") fail(words.at(1), join(words, " "));
        }
    }

    void give_password() {
        if (input_.sudo_password.empty()) fail("sudo-password-wanted");
        write_all("go\n");
        const std::string prompt = nonce_ + "-password:";
        while (err_text_.find(prompt) == std::string::npos) wait();
        err_text_ = replace(err_text_, prompt, "");
        Secret line(std::string(input_.sudo_password.reveal()) + "\n");
        write_all(line.reveal());
        password_given_ = true;
    }

    void await_hello(Started& started) {
        const std::string prompt = nonce_ + "-password:";
        std::size_t at = 0;
        while ((at = out_text_.find(wire::kMagic)) == std::string::npos) {
            if (password_given_ && err_text_.find(prompt) != std::string::npos)
                fail("sudo-password-wrong");
            if (!out_open_) {
                read_some(err_, err_text_, err_open_);
                fail(password_given_ ? "sudo-refused" : "ended");
            }
            wait();
        }
        wire::FrameParser parser;
        parser.add(std::string_view(out_text_).substr(at + wire::kMagic.size()));
        out_text_.clear();
        std::optional<wire::Frame> frame;
        while (!(frame = parser.next())) {
            wait();
            parser.add(out_text_);
            out_text_.clear();
        }
        if (frame->kind != wire::Kind::hello) fail("protocol", "the agent did not say hello");
        started.hello = wire::decode<wire::Hello>(frame->payload);
        if (started.hello.protocol != wire::kProtocolVersion)
            fail("protocol", "the agent speaks another version");
        started.received = parser.rest();
    }

    int in_, out_, err_;
    const std::string nonce_;
    const BootstrapInput& input_;
    const std::stop_token& stop_;
    const Steady::time_point until_;
    Steady::time_point silent_until_;
    std::string out_text_, err_text_;
    bool out_open_ = true, err_open_ = true;
    bool spoken_ = false, password_given_ = false;
};

}  // namespace

std::string bootstrap_command(const std::string& nonce, const AgentImages& images, bool become) {
    std::string arches, digests;
    for (const auto& [machine, image] : images) {
        arches += fmt::format("{}) D={};; ", machine, image.digest);
        digests += (digests.empty() ? "" : " ") + image.digest;
    }
    std::string script(kScript);
    script = replace(std::move(script), "NONCE", nonce);
    script = replace(std::move(script), "DIGESTS", digests);
    script = replace(std::move(script), "ARCHES", arches);
    script = replace(std::move(script), "PORTION", std::to_string(kPortion));
    script = replace(std::move(script), "BECOME", become ? "yes" : "no");
    return "exec /bin/sh -c '" + script + "'";
}

Started bootstrap(int in, int out, int err, const std::string& nonce, const BootstrapInput& input,
                  const std::stop_token& stop) {
    try {
        return Dialog(in, out, err, nonce, input, stop).run();
    } catch (const wire::ProtocolError& error) {
        throw BootstrapFailure{.code = "protocol", .detail = error.what()};
    }
}

}  // namespace slipway::remote
