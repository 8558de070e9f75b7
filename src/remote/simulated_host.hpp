// A simulated machine behind the Host interface: a model, a behaviour, and a history on disk.
//
//     SimulatedHost host({.name = "cp1"}, fresh_machine({}), system_clock());
//     host.run({.argv = {"hostnamectl", "set-hostname", "cp1"}}, {});
//     host.snapshot();
//
// Safe to call from many threads; a call that waits holds no lock. A change is in the history
// before the call returns. The failpoints host.before-change and host.after-change stand around
// each change.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "remote/behaviour.hpp"
#include "remote/history.hpp"
#include "remote/host.hpp"
#include "remote/model.hpp"
#include "remote/simulated_network.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway::remote {

struct SimulatedHostOptions {
    std::string name;
    Facts fixed_facts = {};
    HostProfile profile = {};
    double time_scale = 0;
    std::int64_t seed = 1;
    std::optional<std::filesystem::path> history = {};  // nullopt: in memory only
    Secret sudo_password = {};
    // Shared with the other machines of the fleet, and with listeners that outlive a call; nullptr:
    // a network of its own.
    std::shared_ptr<SimulatedNetwork> network = {};
};

// A user's script that ran: in the order in which they did.
struct ExecutedScript {
    std::string path;
    std::string sha256;
    int exit_code = 0;
    bool operator==(const ExecutedScript&) const = default;
};

class SimulatedHost final : public Host {
  public:
    // `fresh` is shared by all hosts that began alike.
    SimulatedHost(SimulatedHostOptions options, std::shared_ptr<const Values> fresh, Clock& clock);

    const std::string& name() const override { return name_; }
    Facts facts(const FactsQuery& query, const CallOptions& call) override;
    std::optional<FileState> read_file(const std::string& path, const CallOptions& call) override;
    void write_file(const std::string& path, const FileState& file,
                    const CallOptions& call) override;
    void remove_file(const std::string& path, const CallOptions& call) override;
    std::optional<FileInfo> file_info(const std::string& path, const CallOptions& call) override;
    std::optional<std::vector<std::string>> list_folder(const std::string& path,
                                                        const CallOptions& call) override;
    Uploaded upload(const Upload& what, const std::function<void(std::uint64_t)>& progress,
                    const CallOptions& call) override;
    void remove_tree(const std::string& path, bool keep_top, const CallOptions& call) override;
    CommandResult run(const Command& command, const CallOptions& call) override;
    UnitState unit(const std::string& unit, const CallOptions& call) override;
    void set_unit(const std::string& unit, const UnitState& wanted,
                  const CallOptions& call) override;
    void restart_unit(const std::string& unit, const CallOptions& call) override;
    std::optional<std::string> package_version(const std::string& package,
                                               const CallOptions& call) override;
    void install_packages(const std::vector<std::string>& packages,
                          const CallOptions& call) override;
    void remove_packages(const std::vector<std::string>& packages,
                         const CallOptions& call) override;
    std::optional<std::string> sysctl(const std::string& key, const CallOptions& call) override;
    void set_sysctl(const std::string& key, const std::string& value,
                    const CallOptions& call) override;
    bool module_loaded(const std::string& module, const CallOptions& call) override;
    void load_module(const std::string& module, const CallOptions& call) override;
    void unload_module(const std::string& module, const CallOptions& call) override;
    std::vector<std::string> swaps(const CallOptions& call) override;
    void swap_off(const std::string& device, const CallOptions& call) override;
    void swap_on(const std::string& device, const CallOptions& call) override;
    std::optional<UserState> user(const std::string& user, const CallOptions& call) override;
    void add_user(const std::string& user, const UserState& wanted,
                  const CallOptions& call) override;
    void remove_user(const std::string& user, const CallOptions& call) override;
    std::map<std::string, std::string> mounts(const CallOptions& call) override;
    Fetched fetch(const Fetch& what, const std::function<void(std::uint64_t)>& progress,
                  const CallOptions& call) override;
    std::unique_ptr<Listener> listen(const std::vector<Port>& ports, const std::string& nonce,
                                     const CallOptions& call) override;
    std::vector<ProbeAnswer> probe(const std::vector<Port>& targets, const std::string& nonce,
                                   Millis timeout, const CallOptions& call) override;
    void claim(const std::string& owner, const std::string& label,
               const CallOptions& call) override;

    // Beside the Host interface, for tests and `slipway debug snapshot`: no latency, no faults.
    json::object snapshot();
    std::string fingerprint();
    std::vector<ExecutedScript> executed_scripts();
    void add_fault(const Fault& fault);
    void reboot();                                           // as after a power cut
    void tamper(const std::function<void(Model&)>& change);  // as if someone else had logged in

  private:
    enum class Ending { normal, crash, power_cut };
    struct Entered {
        Ending ending = Ending::normal;
        std::optional<int> exit_code = {};
        Micros power_off{0};  // of power_cut; 0: for good
    };

    // Everything before the call does its work: latency, faults, reachability, sudo.
    Entered enter(Call kind, std::string_view subject, const CallOptions& call,
                  std::optional<Millis> deadline = {}, Millis work = Millis(0));
    Verdict decide(Call kind, std::string_view subject, Micros& connect_delay);
    Entered suffer(const Fault& fault, std::string_view subject, const CallOptions& call,
                   std::optional<Millis> deadline);
    void wait(Micros duration, const std::stop_token& stop);
    Micros scaled(Micros duration) const;
    [[noreturn]] void time_out(std::string_view subject, Micros deadline) const;
    [[noreturn]] void unreachable(std::string_view why) const;
    [[noreturn]] void lose(Ending ending) const;

    void before_change() const;
    void after_change() const;
    CommandResult finished_job(const Command& command, const CallOptions& call);
    bool has_finished(const std::string& job);

    template <class F>
    auto ask(Call kind, std::string_view subject, const CallOptions& call, F&& question);
    template <class F>
    auto change(Call kind, std::string_view subject, const CallOptions& call, F&& work);
    template <class F>
    auto act(const Entered& entered, F&& work);

    void bring_up_to_date() SLIPWAY_REQUIRES(mutex_);
    void tell_network() SLIPWAY_REQUIRES(mutex_);
    CommandResult run_here(const Command& command, Millis& work) SLIPWAY_REQUIRES(mutex_);
    void keep(Ending ending, Micros power_off) SLIPWAY_REQUIRES(mutex_);
    void persist() SLIPWAY_REQUIRES(mutex_);
    bool is_off() SLIPWAY_REQUIRES(mutex_);

    const std::string name_;
    const Facts fixed_facts_;
    const HostProfile profile_;
    const Secret sudo_password_;
    const double time_scale_;
    Clock& clock_;
    const std::shared_ptr<SimulatedNetwork> network_;

    Mutex mutex_;
    Model model_ SLIPWAY_GUARDED_BY(mutex_);
    Behaviour behaviour_ SLIPWAY_GUARDED_BY(mutex_);
    std::optional<History> history_ SLIPWAY_GUARDED_BY(mutex_);
    bool connected_ SLIPWAY_GUARDED_BY(mutex_) = false;
    bool off_ SLIPWAY_GUARDED_BY(mutex_) = false;
    bool kubelet_runs_ SLIPWAY_GUARDED_BY(mutex_) = false;
    std::optional<SteadyTime> on_again_ SLIPWAY_GUARDED_BY(mutex_);
    std::string claimed_by_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::remote
