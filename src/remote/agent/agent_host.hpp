// A real machine: every call is a request to the agent on it.
//
// The connection is made at the first call and again after it was lost; calls that were under way
// then throw a transient HostError, and whoever made them tries again (the engine does). A login
// that was refused is not tried a second time in the life of this object.
#pragma once

#include "remote/agent/channel.hpp"
#include "remote/host.hpp"

#include <functional>
#include <memory>
#include <set>

namespace slipway::remote {

// A connection with an agent at its end.
class Link {
  public:
    virtual ~Link() = default;
    virtual Channel& channel() = 0;
    virtual const std::string& boot_id() const = 0;
    virtual const std::string& root_by() const = 0;  // root, sudo, sudo-password
};
using Dial = std::function<std::shared_ptr<Link>(const std::stop_token& stop)>;

class AgentHost final : public Host {
  public:
    AgentHost(std::string name, Dial dial);
    ~AgentHost() override;

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

    // As claim(), at every connection from the first on.
    void claim_when_connected(const std::string& owner, const std::string& label);
    // Takes the agent off the host; paths that are gone.
    std::vector<std::string> clean(const CallOptions& call);
    // Bytes between `in` and a port the host can reach, until either side ends.
    void tunnel(const wire::Tunnel& to, CallInput& input,
                const std::function<void(std::string_view)>& output, const CallOptions& call);
    // The records of jobs that were followed to their end are dropped; for the end of a run, when
    // their results are in the journal. Never throws.
    void forget_finished_jobs() noexcept;

  private:
    std::shared_ptr<Link> link(const std::stop_token& stop);  // connected, or throws
    template <class Answer, class Question>
    Answer ask(wire::Verb verb, const Question& question, const CallOptions& call,
               const std::string& doing, const CallData& data = {});
    CommandResult run_job(const Command& command, const CallOptions& call);
    void forget_older_jobs(const Command& command, const CallOptions& call,
                           const std::string& doing);

    const std::string name_;
    const Dial dial_;

    Mutex dial_mutex_;  // one connection attempt at a time; held while dialling
    Mutex mutex_;
    std::shared_ptr<Link> link_ SLIPWAY_GUARDED_BY(mutex_);
    std::exception_ptr refused_ SLIPWAY_GUARDED_BY(mutex_);
    std::string claim_ SLIPWAY_GUARDED_BY(mutex_);  // encoded, for the next connection
    std::set<std::string> finished_jobs_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::remote
