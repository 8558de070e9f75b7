// The interface as an OpenAPI 3.1 document, made of the table of routes.
#pragma once

#include "base/json.hpp"
#include "server/route.hpp"

#include <span>
#include <string>

namespace slipway::server {

json::object openapi_document(std::span<const Route> table, const std::string& version);

// Schemas of bodies and answers by name (schemas.cpp).
const json::object& schemas();

}  // namespace slipway::server
