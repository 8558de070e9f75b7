#include "server/exchange.hpp"

#include "base/text.hpp"
#include "server/request_fields.hpp"
#include "server/services.hpp"

#include <utility>

#include <fmt/format.h>

namespace slipway::server {

namespace {

constexpr std::uint64_t kLargestBody = 2u << 20;

[[noreturn]] void bad(const std::string& detail, std::string remedy = "") {
    throw Problem(400, "SERVER-BAD-REQUEST", detail, {.remedy = std::move(remedy)});
}

}  // namespace

const std::string& Exchange::value(std::string_view name) const {
    return values_.find(name)->second;
}

std::string Exchange::parameter(std::string_view name) const {
    return std::string(request.target.parameter(name).value_or(""));
}

std::int64_t Exchange::number(std::string_view name, std::int64_t usual, std::int64_t most) const {
    const auto text = request.target.parameter(name);
    if (!text) return usual;
    const auto number = number_of(*text);
    if (!number || *number > most) bad(fmt::format("{} is no number from 0 to {}", name, most));
    return *number;
}

bool Exchange::accepts(std::string_view media_type) const {
    for (const std::string_view field : request.headers.find_all("Accept")) {
        for (const std::string& item : split(field, ',')) {
            if (trim(std::string_view(item).substr(0, item.find(';'))) == media_type) return true;
        }
    }
    return false;
}

const std::string& Exchange::raw_body() {
    if (!raw_) {
        request.body.limit(kLargestBody);
        raw_ = request.body.read_all(kLargestBody);
    }
    return *raw_;
}

const json::object& Exchange::body() {
    if (body_) return *body_;
    const std::string& text = raw_body();
    if (text.empty()) return body_.emplace();
    const std::string type(request.headers.find("Content-Type").value_or(""));
    // A form of another site cannot send this type without asking first.
    if (trim(std::string_view(type).substr(0, type.find(';'))) != "application/json")
        throw Problem(415, "SERVER-BAD-REQUEST", "the body is not application/json");
    boost::system::error_code failure;
    json::value parsed = json::parse(text, failure);
    if (failure || !parsed.is_object()) bad("the body is no JSON object");
    return body_.emplace(std::move(parsed.get_object()));
}

std::string Exchange::text(std::string_view key) {
    const json::value* found = body().if_contains(key);
    if (found == nullptr || !found->is_string()) bad(fmt::format("the body has no text '{}'", key));
    return std::string(found->get_string());
}

std::string Exchange::text_or(std::string_view key, std::string_view usual) {
    return body().if_contains(key) == nullptr ? std::string(usual) : text(key);
}

std::vector<std::string> Exchange::texts(std::string_view key) {
    std::vector<std::string> out;
    const json::value* found = body().if_contains(key);
    if (found == nullptr) return out;
    if (!found->is_array()) bad(fmt::format("'{}' is no list of texts", key));
    for (const json::value& item : found->get_array()) {
        if (!item.is_string()) bad(fmt::format("'{}' is no list of texts", key));
        out.emplace_back(item.get_string());
    }
    return out;
}

void Exchange::answer(const json::value& value, int status) {
    response.status = status == 0 ? route.status : status;
    response.headers.set("Content-Type", "application/json");
    response.body = json::serialize(value);
}

void Exchange::answer_text(std::string text, std::string_view type) {
    response.status = route.status;
    response.headers.set("Content-Type", std::string(type));
    response.body = std::move(text);
}

json::object page_of(json::array items, const std::string& next) {
    json::object out = {{"items", std::move(items)}};
    if (!next.empty()) out["next"] = next;
    return out;
}

void answer_job(Exchange& x, JobRequest request) {
    const std::string id = x.services.jobs.start(std::move(request));
    x.response.headers.set("Location", "/api/v1/jobs/" + id);
    x.answer(*x.services.jobs.look(id));
}

void answer_list(Exchange& x, json::array all) {
    const auto limit = static_cast<std::size_t>(x.number("limit", kUsualPage, kMostPage));
    const auto begin = static_cast<std::size_t>(x.number("page", 0, 1'000'000'000));
    json::array items;
    for (std::size_t i = begin; i < all.size() && i - begin < limit; ++i)
        items.push_back(std::move(all[i]));
    const std::size_t end = begin + items.size();
    x.answer(
        page_of(std::move(items), limit > 0 && end < all.size() ? fmt::format("{}", end) : ""));
}

}  // namespace slipway::server
