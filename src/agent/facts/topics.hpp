// One function a topic, each in the file of its name. A topic writes its own members and reads what
// it needs itself.
#pragma once

#include "agent/facts/netfilter.hpp"
#include "agent/facts/root.hpp"
#include "agent/json_writer.hpp"
#include "wire/messages.hpp"

namespace slipway::agent {

void write_identity(JsonWriter& json, const Root& root);
void write_os(JsonWriter& json, const Root& root);
void write_kernel(JsonWriter& json, const Root& root, const wire::FactsQuery& query);
void write_hardware(JsonWriter& json, const Root& root);
void write_disks(JsonWriter& json, const Root& root, const wire::FactsQuery& query);
void write_network(JsonWriter& json, const Root& root);
void write_names(JsonWriter& json, const Root& root, const wire::FactsQuery& query);
void write_ports(JsonWriter& json, const Root& root);
void write_time(JsonWriter& json, const Root& root);
void write_security(JsonWriter& json, const Root& root, const Netfilter& netfilter);
void write_packages(JsonWriter& json, const Root& root, const wire::FactsQuery& query);
void write_leftovers(JsonWriter& json, const Root& root, const wire::FactsQuery& query,
                     const Netfilter& netfilter);

}  // namespace slipway::agent
