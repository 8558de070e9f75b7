#include "base/json_patch.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <charconv>

#include <fmt/format.h>

namespace slipway {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw UserError("PATCH-INVALID", fmt::format("'{}' of a JSON patch {}", printable(path), why),
                    {.cause = "the patch was made for another document, or has a typo",
                     .remedy = "correct the patch"});
}

// The words of a JSON pointer (RFC 6901).
std::vector<std::string> words_of(const std::string& path) {
    if (path.empty()) return {};
    if (path.front() != '/') refuse(path, "does not begin with '/'");
    std::vector<std::string> out = split(std::string_view(path).substr(1), '/');
    for (std::string& word : out) {
        std::string plain;
        for (std::size_t i = 0; i < word.size(); ++i) {
            const bool escaped = word[i] == '~' && i + 1 < word.size();
            plain += !escaped ? word[i] : word[++i] == '1' ? '/' : '~';
        }
        word = plain;
    }
    return out;
}

std::size_t index_in(const json::array& list, const std::string& word, const std::string& path,
                     bool may_be_end) {
    if (may_be_end && word == "-") return list.size();
    std::size_t index = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), index);
    const bool number = failure == std::errc() && end == word.data() + word.size();
    if (!number || index > list.size() || (index == list.size() && !may_be_end))
        refuse(path, "is no item of the list");
    return index;
}

json::value& child(json::value& parent, const std::string& word, const std::string& path) {
    if (parent.is_array())
        return parent.get_array()[index_in(parent.get_array(), word, path, false)];
    json::value* found = parent.is_object() ? parent.get_object().if_contains(word) : nullptr;
    if (found == nullptr) refuse(path, "is not there");
    return *found;
}

void add(json::value& parent, const std::string& word, const json::value& value,
         const std::string& path) {
    if (parent.is_array()) {
        json::array& list = parent.get_array();
        const std::size_t index = index_in(list, word, path, true);
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(index), value);
    } else if (parent.is_object()) {
        parent.get_object()[word] = value;
    } else {
        refuse(path, "is not there");
    }
}

void remove(json::value& parent, const std::string& word, const std::string& path) {
    child(parent, word, path);
    if (parent.is_object()) {
        parent.get_object().erase(word);
        return;
    }
    json::array& list = parent.get_array();
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(index_in(list, word, path, false)));
}

void apply_one(json::value& target, const json::object& operation) {
    const std::string op = string_at(operation, "op");
    const std::string path = string_at(operation, "path");
    const json::value* value = operation.if_contains("value");
    std::vector<std::string> words = words_of(path);
    if (words.empty()) refuse(path, "means the whole document");
    if (op != "remove" && value == nullptr) refuse(path, "has no value");
    const std::string last = words.back();
    words.pop_back();
    json::value* parent = &target;
    for (const std::string& word : words) parent = &child(*parent, word, path);
    if (op == "add") return add(*parent, last, *value, path);
    if (op == "remove") return remove(*parent, last, path);
    json::value& there = child(*parent, last, path);
    if (op == "replace") {
        there = *value;
    } else if (op != "test") {
        refuse(path, "has an operation that is none of add, remove, replace and test");
    } else if (there != *value) {
        refuse(path, "is not what the test expects");
    }
}

}  // namespace

void merge_patch(json::value& target, const json::value& patch) {
    if (!patch.is_object()) {
        target = patch;
        return;
    }
    if (!target.is_object()) target = json::object();
    for (const auto& [key, value] : patch.get_object()) {
        if (value.is_null())
            target.get_object().erase(key);
        else
            merge_patch(target.get_object()[key], value);
    }
}

void apply_patch(json::value& target, const json::value& operations) {
    if (!operations.is_array()) refuse("", "is no list of operations");
    for (const json::value& one : operations.get_array()) {
        if (!one.is_object()) refuse("", "is no operation");
        apply_one(target, one.get_object());
    }
}

}  // namespace slipway
