// Everything Slipway wants to know of a host before it changes anything, in one go.
//
//     std::string json = gather_facts(query);
//
// The keys are those of remote/facts.hpp; "wallMs", the host's clock at the end, stands for the
// clock's offset, which only the other side can tell. Reading changes nothing on the host, not even
// which modules are loaded. Files are read rather than programs run: a hundred hosts are asked at
// once.
#pragma once

#include "agent/facts/root.hpp"
#include "wire/messages.hpp"

#include <string>

namespace slipway::agent {

std::string gather_facts(const wire::FactsQuery& query, const Root& root = {});

}  // namespace slipway::agent
