#include "cli/commands.hpp"

namespace slipway::cli {

std::vector<Command> all_commands() {
    return {
        init_command(),
        validate_command(),
        explain_command(),
        schema_command(),
        preflight_command(),
        plan_command(),
        apply_command(),
        status_command(),
        runs_command(),
        events_command(),
        logs_command(),
        pause_command(),
        resume_command(),
        cancel_command(),
        retry_command(),
        skip_command(),
        reset_command(),
        restore_command(),
        steps_command(),
        hosts_list_command(),
        hosts_facts_command(),
        hosts_trust_command(),
        hosts_clean_command(),
        bundle_build_command(),
        bundle_inspect_command(),
        bundle_verify_command(),
        bundle_sign_command(),
        bundle_keygen_command(),
        bundle_diff_command(),
        bundle_merge_command(),
        bundle_extract_command(),
        bundle_inventory_command(),
        images_push_command(),
        images_list_command(),
        images_copy_command(),
        images_sync_command(),
        images_import_command(),
        delegate_list_command(),
        delegate_claim_command(),
        delegate_renew_command(),
        delegate_report_command(),
        completion_command(),
        version_command(),
        // For tests and the program itself; not in help.
        debug_failpoints_command(),
        debug_snapshot_command(),
        debug_docs_command(),
    };
}

}  // namespace slipway::cli
