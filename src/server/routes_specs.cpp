// Drafts of specs, and what is done with one: validate, look at hosts, plan, apply.
#include "base/clock.hpp"
#include "base/text.hpp"
#include "server/cluster_access.hpp"
#include "server/services.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::server {

namespace {

std::string quoted_path(const Exchange& x, const Draft& draft) {
    return x.services.drafts.file(draft.name).string();
}

// A draft that cannot be looked at now, or takes too long to be, is kept all the same.
json::object seen_in(const Exchange& x, const Draft& draft) {
    try {
        return x.services.drafts.look_at(draft.yaml);
    } catch (const Problem& problem) {
        const json::object found = {{"id", problem.id},
                                    {"severity", "error"},
                                    {"file", ""},
                                    {"line", 0},
                                    {"column", 0},
                                    {"path", ""},
                                    {"what", problem.detail},
                                    {"todo", problem.remedy}};
        return {{"valid", false}, {"problems", json::array{found}}};
    }
}

// A text that is no map of keys is no spec, whatever it says.
void add_specs(const json::object& seen, json::object& out) {
    for (const char* key : {"spec", "effective"}) {
        const json::value* value = seen.if_contains(key);
        if (value != nullptr && value->is_object()) out[key] = *value;
    }
}

json::object draft_json(const Exchange& x, const Draft& draft) {
    const json::object seen = seen_in(x, draft);
    json::object out = {{"name", draft.name},
                        {"yaml", draft.yaml},
                        {"problems", seen.at("problems")},
                        {"etag", draft.etag},
                        {"updated", format_utc(draft.updated_ms)},
                        {"command", fmt::format("slipway apply -c {}", quoted_path(x, draft))}};
    add_specs(seen, out);
    return out;
}

std::size_t hosts_in(const json::object& seen) {
    const json::value* spec = seen.if_contains("spec");
    if (spec == nullptr || !spec->is_object()) return 0;
    const json::value* inner = spec->get_object().if_contains("spec");
    if (inner == nullptr || !inner->is_object()) return 0;
    const json::value* hosts = inner->get_object().if_contains("hosts");
    return hosts != nullptr && hosts->is_array() ? hosts->get_array().size() : 0;
}

void get_specs(Exchange& x) {
    json::array all;
    for (const Draft& draft : x.services.drafts.list()) {
        const json::object seen = seen_in(x, draft);
        json::object item = {{"name", draft.name},
                             {"etag", draft.etag},
                             {"updated", format_utc(draft.updated_ms)},
                             {"valid", bool_at(seen, "valid")},
                             {"hosts", hosts_in(seen)}};
        if (const std::string cluster = string_at(seen, "cluster"); !cluster.empty())
            item["cluster"] = cluster;
        all.push_back(std::move(item));
    }
    answer_list(x, std::move(all));
}

void answer_draft(Exchange& x, const Draft& draft, int status = 200) {
    x.response.headers.set("ETag", draft.etag);
    x.answer(draft_json(x, draft), status);
}

void get_spec(Exchange& x) { answer_draft(x, x.services.drafts.require(x.value("name"))); }

// {yaml}, or {spec} written as YAML.
std::string yaml_of(Exchange& x) {
    if (const json::value* spec = x.body().if_contains("spec")) {
        if (!spec->is_object())
            throw Problem(400, "SERVER-BAD-REQUEST", "'spec' is no JSON object");
        return to_yaml(*spec);
    }
    return x.text("yaml");
}

// What a change expects to find: an etag, or "" for nothing.
std::string expected_of(const Exchange& x) {
    if (const auto match = x.request.headers.find("If-Match")) return std::string(*match);
    if (x.request.headers.find("If-None-Match") == "*") return "";
    throw Problem(428, "SERVER-PRECONDITION", "the change does not say what it expects to find",
                  {.remedy = "send If-Match with the ETag, or If-None-Match: * for a new one"});
}

void put_spec(Exchange& x) {
    const std::string expected = expected_of(x);
    const Draft draft = x.services.drafts.put(x.value("name"), yaml_of(x), expected);
    answer_draft(x, draft, expected.empty() ? 201 : 200);
}

void delete_spec(Exchange& x) {
    x.services.drafts.remove(x.value("name"),
                             std::string(x.request.headers.find("If-Match").value_or("")));
    x.answer_nothing();
}

// Whoever may only look learns nothing of the files of this computer by it.
void post_validate(Exchange& x) {
    const json::object seen = x.services.drafts.look_at_text(yaml_of(x));
    json::object out = {{"valid", seen.at("valid")}, {"problems", seen.at("problems")}};
    add_specs(seen, out);
    x.answer(out);
}

void get_secrets(Exchange& x) {
    const Draft draft = x.services.drafts.require(x.value("name"));
    json::array all;
    for (const WantedSecret& wanted : x.services.drafts.wanted_secrets(draft))
        all.push_back(
            json::object{{"path", wanted.path},
                         {"kept", x.services.drafts.has_secret(draft.name, wanted.path)}});
    answer_list(x, std::move(all));
}

void put_secret(Exchange& x) {
    const Draft draft = x.services.drafts.require(x.value("name"));
    const std::string& path = x.value("path");
    const auto wanted = x.services.drafts.wanted_secrets(draft);
    if (std::ranges::find(wanted, path, &WantedSecret::path) == wanted.end())
        throw Problem(404, "SERVER-NOT-FOUND", "the draft asks for no such secret",
                      {.cause = "only secrets with prompt: true are kept here"});
    std::string text = x.text("value");
    const Secret value(text);
    wipe(text);
    if (value.empty()) throw Problem(422, "SERVER-BAD-REQUEST", "an empty secret is none");
    x.services.drafts.keep_secret(draft.name, path, value);
    x.answer_nothing();
}

void delete_secret(Exchange& x) {
    const Draft draft = x.services.drafts.require(x.value("name"));
    if (!x.services.drafts.forget_secret(draft.name, x.value("path")))
        throw Problem(404, "SERVER-NOT-FOUND", "no such secret is kept");
    x.answer_nothing();
}

void add_simulate(Exchange& x, std::vector<std::string>& words) {
    if (const json::value* wanted = x.body().if_contains("simulate"))
        server::add_simulate(*wanted, words);
}

void add_ignored(Exchange& x, std::vector<std::string>& words) {
    for (const std::string& id : x.texts("ignore")) words.push_back("--ignore=" + id);
}

ChildCall call_for(Exchange& x, const Draft& draft, std::vector<std::string> words) {
    words.insert(words.end(), {"-c", quoted_path(x, draft)});
    ChildCall call{.words = std::move(words), .input = x.services.drafts.answers(draft)};
    if (!call.input.empty()) call.words.emplace_back("--secrets-stdin");
    return call;
}

void answer_named_job(Exchange& x, JobRequest request) {
    x.what = request.kind;
    answer_job(x, std::move(request));
}

// As the contract names the states of keys.
json::object keys_result(json::object said) {
    json::array out;
    for (const json::value& item : said.at("hosts").as_array()) {
        const json::object& host = item.as_object();
        const std::string state = string_at(host, "state");
        json::object key = {{"host", string_at(host, "host")},
                            {"address", string_at(host, "address")},
                            {"state", state == "trusted" ? "known" : state}};
        for (const char* name : {"type", "fingerprint"}) {
            if (const json::value* value = host.if_contains(name)) key[name] = *value;
        }
        if (const std::string reason = string_at(host, "reason"); !reason.empty())
            key["message"] = reason;
        if (state == "changed")
            key["remedy"] = "compare it on the host's own console before it is trusted";
        out.push_back(std::move(key));
    }
    return {{"hosts", std::move(out)}};
}

void post_keys(Exchange& x) {
    const Draft draft = x.services.drafts.require(x.value("name"));
    const std::vector<std::string> only = x.texts("hosts");
    answer_named_job(x, {.kind = "keys",
                         .spec = draft.name,
                         .call = call_for(x, draft, {"hosts", "trust", "--show"}),
                         .shape = [only](json::object said) {
                             json::object result = keys_result(std::move(said));
                             if (only.empty()) return result;
                             json::array kept;
                             for (const json::value& item : result.at("hosts").as_array()) {
                                 const std::string host = string_at(item.as_object(), "host");
                                 if (std::ranges::find(only, host) != only.end())
                                     kept.push_back(item);
                             }
                             return json::object{{"hosts", std::move(kept)}};
                         }});
}

void post_trust(Exchange& x) {
    const Draft draft = x.services.drafts.require(x.value("name"));
    const json::value* keys = x.body().if_contains("keys");
    if (keys == nullptr || !keys->is_array() || keys->get_array().empty())
        throw Problem(422, "SERVER-BAD-REQUEST", "'keys' is no list of {host, fingerprint}");
    std::vector<std::string> words = {"hosts", "trust"};
    for (const json::value& item : keys->get_array()) {
        if (!item.is_object()) throw Problem(422, "SERVER-BAD-REQUEST", "a key is an object");
        const std::string host = string_at(item.get_object(), "host"),
                          print = string_at(item.get_object(), "fingerprint");
        if (host.empty() || print.empty() || (host + print).find(',') != std::string::npos)
            throw Problem(422, "SERVER-BAD-REQUEST", "a key has a host and a fingerprint");
        words.push_back(fmt::format("--only={}={}", host, print));
    }
    answer_named_job(x, {.kind = "trust",
                         .spec = draft.name,
                         .call = call_for(x, draft, std::move(words)),
                         .shape = keys_result});
}

void post_preflight(Exchange& x) {
    const Draft draft = x.services.drafts.require(x.value("name"));
    std::vector<std::string> words = {"preflight"};
    add_simulate(x, words);
    add_ignored(x, words);
    answer_named_job(
        x, {.kind = "preflight", .spec = draft.name, .call = call_for(x, draft, std::move(words))});
}

void post_plan(Exchange& x) {
    const Draft draft = x.services.drafts.require(x.value("name"));
    std::vector<std::string> words = {"plan"};
    add_simulate(x, words);
    if (bool_at(x.body(), "allowUnsigned")) words.emplace_back("--allow-unsigned");
    answer_named_job(x, {.kind = "plan",
                         .spec = draft.name,
                         .call = call_for(x, draft, std::move(words)),
                         .keeps_plan = true});
}

void post_apply(Exchange& x) {
    const Draft draft = x.services.drafts.require(x.value("name"));
    // With a plan, the spec is the one that was planned, whatever the draft says by now.
    const std::string plan = x.text_or("plan", "");
    std::vector<std::string> words =
        plan.empty() ? apply_words(x, draft)
                     : std::vector<std::string>{
                           "apply", "--yes",
                           "--plan=" + x.services.jobs.plan_file(plan, draft.name).string()};
    add_simulate(x, words);
    add_ignored(x, words);
    if (bool_at(x.body(), "allowUnsigned")) words.emplace_back("--allow-unsigned");
    x.answer(start_run(x, draft.name, std::move(words)));
}

}  // namespace

std::vector<Route> spec_routes() {
    return {
        {"GET", "/api/v1/specs", Role::viewer, "Drafts of specs", "", "DraftList", get_specs, 200,
         false, "limit,page"},
        {"GET", "/api/v1/specs/{name}", Role::viewer, "A draft", "", "Draft", get_spec},
        // A spec may name programs and files of this computer: whoever writes one may do anything.
        {"PUT", "/api/v1/specs/{name}", Role::admin, "Keep a draft", "SpecInput", "Draft",
         put_spec},
        {"DELETE", "/api/v1/specs/{name}", Role::admin, "Remove a draft and its secrets", "", "",
         delete_spec, 204},
        {"POST", "/api/v1/validate", Role::viewer, "Every problem of a spec; keeps nothing",
         "SpecInput", "Validation", post_validate},
        {"GET", "/api/v1/specs/{name}/secrets", Role::operate, "Secrets the spec asks for", "",
         "SecretList", get_secrets, 200, false, "limit,page"},
        {"PUT", "/api/v1/specs/{name}/secrets/{path}", Role::operate,
         "Keep a secret, sealed; it is never given out again", "SecretValue", "", put_secret, 204},
        {"DELETE", "/api/v1/specs/{name}/secrets/{path}", Role::operate, "Forget a secret", "", "",
         delete_secret, 204},
        {"POST", "/api/v1/specs/{name}/hosts/keys", Role::operate, "Look at the hosts' SSH keys",
         "HostNames", "Job", post_keys, 202},
        {"POST", "/api/v1/specs/{name}/hosts/trust", Role::operate, "Trust these very keys",
         "HostKeys", "Job", post_trust, 202},
        {"POST", "/api/v1/specs/{name}/preflight", Role::operate, "Ask every check of every host",
         "RunChoices", "Job", post_preflight, 202},
        {"POST", "/api/v1/specs/{name}/plan", Role::operate, "What an apply would change",
         "RunChoices", "Job", post_plan, 202},
        {"POST", "/api/v1/specs/{name}/apply", Role::operate, "Make the hosts as the spec says",
         "RunChoices", "RunStarted", post_apply, 202},
    };
}

}  // namespace slipway::server
