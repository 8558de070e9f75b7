// An event in words, as the command line, the view and the server's old routes tell it.
#pragma once

#include "base/json.hpp"
#include "engine/event.hpp"

#include <string>
#include <string_view>

namespace slipway::desk {

// What an event says, without time, host and step: "failed  HOST-LOST: link lost".
std::string event_words(const engine::Event& event);

// "0.4 s"
std::string seconds_text(double seconds);

// A number that may have been written as integer or as fraction.
double number_at(const json::object& object, std::string_view key, double fallback = 0);

}  // namespace slipway::desk
