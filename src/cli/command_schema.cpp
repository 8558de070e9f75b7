#include "cli/commands.hpp"
#include "config/schema.hpp"

namespace slipway::cli {

namespace {

ExitCode run_schema(const Call& call) {
    const json::object schema = config::json_schema();
    call.output.data(schema, [&] { return pretty(schema) + "\n"; });
    return ExitCode::ok;
}

}  // namespace

Command schema_command() {
    return {.name = "schema",
            .summary = "Print the JSON Schema of the spec, for editors",
            .examples = "slipway schema > slipway.schema.json",
            .run = run_schema};
}

}  // namespace slipway::cli
