#include "base/json_patch.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

namespace slipway {
namespace {

json::value value(const char* text) { return parse_json(text, "test"); }

json::value merged(const char* target, const char* patch) {
    json::value out = value(target);
    merge_patch(out, value(patch));
    return out;
}

json::value patched(const char* target, const char* patch) {
    json::value out = value(target);
    apply_patch(out, value(patch));
    return out;
}

TEST(JsonPatch, MapsMergeNullTakesAwayListsAreReplaced) {
    EXPECT_EQ(merged(R"({"a": 1, "b": {"c": 2, "d": [1, 2]}})",
                     R"({"a": null, "b": {"d": [3], "e": {"f": 4}}})"),
              value(R"({"b": {"c": 2, "d": [3], "e": {"f": 4}}})"));
    EXPECT_EQ(merged(R"({"a": 1})", R"({"a": {"b": null, "c": 1}})"), value(R"({"a": {"c": 1}})"));
}

TEST(JsonPatch, OperationsAreDoneInOrder) {
    EXPECT_EQ(patched(R"({"a": [1, 3], "b": 1, "c/d": {"e": 1}})",
                      R"([{"op": "test", "path": "/b", "value": 1},
                          {"op": "add", "path": "/a/1", "value": 2},
                          {"op": "add", "path": "/a/-", "value": 4},
                          {"op": "remove", "path": "/a/0"},
                          {"op": "replace", "path": "/c~1d/e", "value": 5},
                          {"op": "remove", "path": "/b"}])"),
              value(R"({"a": [2, 3, 4], "c/d": {"e": 5}})"));
}

TEST(JsonPatch, WhatDoesNotFitIsRefused) {
    for (const char* patch :
         {R"({"op": "add"})", R"([1])", R"([{"op": "move", "path": "/a", "value": 1}])",
          R"([{"op": "replace", "path": "/x", "value": 1}])",
          R"([{"op": "remove", "path": "/b/2"}])", R"([{"op": "add", "path": "/b/9", "value": 1}])",
          R"([{"op": "add", "path": "/a"}])", R"([{"op": "test", "path": "/a", "value": 2}])",
          R"([{"op": "remove", "path": ""}])", R"([{"op": "add", "path": "/a/b", "value": 2}])",
          R"([{"op": "remove", "path": "a"}])"}) {
        EXPECT_THROW(patched(R"({"a": 1, "b": [1, 2]})", patch), UserError) << patch;
    }
}

}  // namespace
}  // namespace slipway
