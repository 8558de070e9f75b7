// What the check functions see and where they put their answers. Only for the files of this folder.
#pragma once

#include "cluster/checks/check.hpp"

#include <utility>

namespace slipway::cluster {

struct CheckInput {
    const config::Spec& spec;
    const std::map<std::string, std::string>& unreachable;
    // Hosts with facts, in natural order of their names.
    std::vector<std::pair<const config::Host*, const remote::Facts*>> hosts;
};

class CheckReport {
  public:
    explicit CheckReport(std::string id) : id_(std::move(id)) {}

    void pass(const std::string& host, std::string seen) {
        results_.push_back({.id = id_, .host = host, .seen = std::move(seen)});
    }
    void fail(CheckSeverity severity, const std::string& host, std::string seen, std::string wanted,
              std::string remedy, const std::string& other_host = "") {
        results_.push_back({.id = id_,
                            .host = host,
                            .other_host = other_host,
                            .outcome = CheckOutcome::failed,
                            .severity = severity,
                            .seen = std::move(seen),
                            .wanted = std::move(wanted),
                            .remedy = std::move(remedy)});
    }
    std::vector<CheckResult> take() { return std::move(results_); }

  private:
    std::string id_;
    std::vector<CheckResult> results_;
};

// host_checks.cpp: each about one host by itself
void check_reachable(const CheckInput& in, CheckReport& report);
void check_arch(const CheckInput& in, CheckReport& report);
void check_os(const CheckInput& in, CheckReport& report);
void check_cpu(const CheckInput& in, CheckReport& report);
void check_memory(const CheckInput& in, CheckReport& report);
void check_disk(const CheckInput& in, CheckReport& report);
void check_cgroup(const CheckInput& in, CheckReport& report);
void check_time_service(const CheckInput& in, CheckReport& report);

// pair_checks.cpp: each about hosts compared with one another
void check_machine_id(const CheckInput& in, CheckReport& report);
void check_product_uuid(const CheckInput& in, CheckReport& report);
void check_hostname(const CheckInput& in, CheckReport& report);
void check_address(const CheckInput& in, CheckReport& report);
void check_clock(const CheckInput& in, CheckReport& report);

}  // namespace slipway::cluster
