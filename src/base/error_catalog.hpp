// Every error id with its meaning, usual cause and remedy: the table behind `slipway explain ID`
// and docs/errors.md. A test finds the ids used in src/ and compares, so a new id needs a row here.
//
//     if (const ErrorEntry* entry = find_error("STATE-LOCKED")) print(entry->remedy);
//
// The texts are the general case; an Error thrown carries the particulars of its own.
#pragma once

#include <span>
#include <string_view>

namespace slipway {

struct ErrorEntry {
    std::string_view id;
    std::string_view title;   // what happened, in one line
    std::string_view cause;   // what usually lies behind it
    std::string_view remedy;  // what to do
};

std::span<const ErrorEntry> error_catalog();  // by id

const ErrorEntry* find_error(std::string_view id);  // nullptr when there is no such id

}  // namespace slipway
