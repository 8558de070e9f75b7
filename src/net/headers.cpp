#include "net/headers.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace slipway::net {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_token_character(unsigned char c) {
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(static_cast<char>(c)) != std::string_view::npos;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

void Headers::add(std::string name, std::string value) {
    fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::set(std::string name, std::string value) {
    remove(name);
    add(std::move(name), std::move(value));
}

void Headers::remove(std::string_view name) {
    std::erase_if(fields_, [&](const Field& field) { return same_name(field.first, name); });
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
    for (const Field& field : fields_) {
        if (same_name(field.first, name)) return field.second;
    }
    return std::nullopt;
}

std::vector<std::string_view> Headers::find_all(std::string_view name) const {
    std::vector<std::string_view> out;
    for (const Field& field : fields_) {
        if (same_name(field.first, name)) out.emplace_back(field.second);
    }
    return out;
}

std::size_t Headers::count(std::string_view name) const { return find_all(name).size(); }

bool Headers::has_token(std::string_view name, std::string_view token) const {
    for (const std::string_view list : find_all(name)) {
        for (const std::string& item : split(list, ',')) {
            if (same_name(trim(item), token)) return true;
        }
    }
    return false;
}

bool is_sendable(const Headers::Field& field) {
    const auto& [name, value] = field;
    return !name.empty() && std::all_of(name.begin(), name.end(), is_token_character) &&
           std::all_of(value.begin(), value.end(),
                       [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); });
}

}  // namespace slipway::net
