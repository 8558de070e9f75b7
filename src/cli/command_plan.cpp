#include "cli/bundle_trust.hpp"
#include "cli/commands.hpp"
#include "cli/preview.hpp"

namespace slipway::cli {

Command plan_command() {
    return {
        .name = "plan",
        .summary = "Show what apply would change on each host, and change nothing",
        .examples =
            "slipway plan -c demo.yaml --simulate\n"
            "slipway plan -c demo.yaml --simulate --out demo.plan\n"
            "slipway plan -c demo.yaml --simulate --detailed-exitcode -o json",
        .details =
            "+ create   ~ change   - remove   > run   ? known only during the run   s skipped\n"
            "d delegated. Steps with nothing to do are counted; -v lists them too.",
        .options = {spec_option(),
                    simulate_option(),
                    accept_new_option(),
                    ssh_config_option(),
                    secrets_option(),
                    admission_options()[0],
                    admission_options()[1],
                    {.name = "--out",
                     .value = "FILE",
                     .help = "save the plan for apply --plan",
                     .complete = Complete::file},
                    {.name = "--detailed-exitcode", .help = "exit 2 when something would change"}},
        .run = show_preview};
}

}  // namespace slipway::cli
