// Jobs: how far they are, and stopping them.
#include "server/exchange.hpp"
#include "server/services.hpp"

namespace slipway::server {

namespace {

[[noreturn]] void no_job() {
    throw Problem(
        404, "SERVER-NOT-FOUND", "there is no such job",
        {.cause = "jobs are forgotten with the server, and an hour after their end or when "
                  "there are many"});
}

void get_job(Exchange& x) {
    const auto wait = std::chrono::seconds(x.number("wait", 0, 30));
    const auto job = x.services.jobs.look(x.value("id"), wait);
    if (!job) no_job();
    x.answer(*job);
}

void delete_job(Exchange& x) {
    if (!x.services.jobs.cancel(x.value("id"))) no_job();
    x.answer_nothing();
}

}  // namespace

std::vector<Route> job_routes() {
    return {
        {"GET", "/api/v1/jobs/{id}", Role::viewer, "A job; ?wait= answers when it has ended", "",
         "Job", get_job, 200, false, "wait"},
        {"DELETE", "/api/v1/jobs/{id}", Role::operate, "Cancel a job", "", "", delete_job, 204},
    };
}

}  // namespace slipway::server
