#include "server/jobs.hpp"

#include "base/digest.hpp"

#include <algorithm>
#include <system_error>

namespace slipway::server {

namespace {

constexpr std::chrono::hours kKept{1};

[[noreturn]] void refuse() {
    Problem busy(503, "SERVER-BUSY", "too many jobs are under way",
                 {.remedy = "wait for one to end, or cancel it"});
    busy.headers.set("Retry-After", "5");
    throw busy;
}

}  // namespace

Jobs::Jobs(const Children& children, std::filesystem::path plans, Clock& clock,
           std::size_t most_bytes)
    : children_(children), plans_(std::move(plans)), clock_(clock), most_bytes_(most_bytes) {
    std::error_code none;  // plans of jobs that were forgotten with the last process
    for (const auto& entry : std::filesystem::directory_iterator(plans_, none))
        std::filesystem::remove(entry.path(), none);
}

Jobs::~Jobs() {
    stop();
    All all;
    {
        const Lock lock(mutex_);
        all.swap(jobs_);
    }
}

void Jobs::stop() {
    const Lock lock(mutex_);
    stopping_ = true;
    for (auto& [id, job] : jobs_) job->stop.request_stop();
    changed_.notify_all();
}

std::string Jobs::start(JobRequest request) {
    const Lock lock(mutex_);
    forget_old();
    const auto running = std::ranges::count_if(
        jobs_, [](const auto& item) { return item.second->state == "running"; });
    if (stopping_ || running >= static_cast<std::ptrdiff_t>(kMostRunning)) refuse();
    while (jobs_.size() >= kMostKept && forget_oldest()) {
    }
    auto job = std::make_unique<Job>();
    job->id = random_hex(8);
    job->kind = request.kind;
    job->spec = request.spec;
    job->started_ms = clock_.wall_ms();
    if (request.keeps_plan) {
        job->plan = plans_ / (job->id + ".plan");
        request.call.words.insert(request.call.words.end(), {"--out", job->plan.string()});
    }
    Job& place = *job;
    const std::string id = job->id;
    jobs_[id] = std::move(job);
    try {
        place.thread = std::jthread([this, &place, asked = std::move(request)]() mutable {
            work(place, std::move(asked));
        });
    } catch (const std::system_error&) {  // no thread is to be had
        jobs_.erase(id);
        refuse();
    }
    return id;
}

void Jobs::work(Job& job, JobRequest request) {
    request.call.on_line = [&](const std::string& line) {
        const Lock lock(mutex_);
        if (job.lines.size() >= kMostLines) job.lines.pop_front();
        job.lines.push_back(line);
    };
    try {
        json::object result = children_.run(request.call, job.stop.get_token()).object();
        if (request.shape) result = request.shape(std::move(result));
        settle(job, std::move(result), std::nullopt, "succeeded");
    } catch (const Problem& problem) {
        settle(job, std::nullopt, problem, "failed");
    } catch (const Error& error) {
        settle(job, std::nullopt, problem_of(error), "failed");
    } catch (const Cancelled&) {
        settle(job, std::nullopt, std::nullopt, "cancelled");
    } catch (const std::exception& error) {
        settle(job, std::nullopt, Problem(500, "SERVER-FAILED", error.what()), "failed");
    }
}

void Jobs::settle(Job& job, std::optional<json::object> result, std::optional<Problem> problem,
                  std::string state) {
    const std::size_t bytes = result ? json::serialize(*result).size() : 0;
    const Lock lock(mutex_);
    job.bytes = bytes;
    job.result = std::move(result);
    job.problem = std::move(problem);
    job.state = std::move(state);
    job.finished_ms = clock_.wall_ms();
    job.ended = clock_.steady();
    while (bytes_kept() > most_bytes_ && forget_oldest(&job)) {
    }
    changed_.notify_all();
}

std::size_t Jobs::bytes_kept() const {
    std::size_t out = 0;
    for (const auto& [id, job] : jobs_) out += job->bytes;
    return out;
}

void Jobs::forget(All::iterator item) {
    std::error_code none;
    if (const auto& plan = item->second->plan; !plan.empty()) std::filesystem::remove(plan, none);
    jobs_.erase(item);  // its thread needs nothing of this any more
}

void Jobs::forget_old() {
    for (auto at = jobs_.begin(); at != jobs_.end();) {
        const auto item = at++;
        const Job& job = *item->second;
        if (job.state != "running" && clock_.steady() - job.ended >= kKept) forget(item);
    }
}

bool Jobs::forget_oldest(const Job* kept) {
    auto oldest = jobs_.end();
    for (auto at = jobs_.begin(); at != jobs_.end(); ++at) {
        const Job& job = *at->second;
        if (job.state == "running" || &job == kept) continue;
        if (oldest == jobs_.end() || job.ended < oldest->second->ended) oldest = at;
    }
    if (oldest == jobs_.end()) return false;
    forget(oldest);
    return true;
}

json::object Jobs::to_json(const Job& job) {
    json::object out = {{"id", job.id},
                        {"kind", job.kind},
                        {"state", job.state},
                        {"started", format_utc(job.started_ms)},
                        {"lines", json::array(job.lines.begin(), job.lines.end())}};
    if (!job.spec.empty()) out["spec"] = job.spec;
    if (job.finished_ms != 0) out["finished"] = format_utc(job.finished_ms);
    if (job.result) out["result"] = *job.result;
    if (job.problem) out["problem"] = server::to_json(*job.problem);
    return out;
}

std::optional<json::object> Jobs::look(const std::string& id, Millis wait) {
    const auto until = std::chrono::steady_clock::now() + wait;
    const Lock lock(mutex_);
    while (true) {
        const auto found = jobs_.find(id);
        if (found == jobs_.end()) return std::nullopt;
        const bool over = found->second->state != "running" || stopping_;
        if (over || std::chrono::steady_clock::now() >= until) return to_json(*found->second);
        changed_.wait_until(mutex_, until);
    }
}

bool Jobs::cancel(const std::string& id) {
    const Lock lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return false;
    found->second->stop.request_stop();
    return true;
}

std::filesystem::path Jobs::plan_file(const std::string& id, const std::string& spec) {
    const Lock lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end() || found->second->kind != "plan" || found->second->spec != spec)
        throw Problem(404, "SERVER-NOT-FOUND", "there is no such plan of this draft",
                      {.remedy = "make the plan again"});
    if (found->second->state != "succeeded")
        throw Problem(409, "SERVER-CONFLICT", "this plan was not made to its end");
    return found->second->plan;
}

std::size_t Jobs::running() {
    const Lock lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(
        jobs_, [](const auto& item) { return item.second->state == "running"; }));
}

}  // namespace slipway::server
