// The list: every command there is. Each is described and carried out in its command_<name>.cpp.
#pragma once

#include "cli/command.hpp"

#include <vector>

namespace slipway::cli {

// In the order of help: from nothing to a running cluster, then looking, then the rest.
std::vector<Command> all_commands();

Command init_command();
Command convert_command();
Command validate_command();
Command explain_command();
Command schema_command();
Command serve_command();
Command preflight_command();
Command plan_command();
Command apply_command();
Command status_command();
Command runs_command();
Command runs_show_command();
Command events_command();
Command logs_command();
Command pause_command();
Command resume_command();
Command cancel_command();
Command retry_command();
Command skip_command();
Command reset_command();
Command restore_command();
Command steps_command();
Command hosts_list_command();
Command hosts_facts_command();
Command hosts_trust_command();
Command hosts_clean_command();
Command hosts_scan_command();
Command bundle_catalog_command();
Command bundle_build_command();
Command bundle_inspect_command();
Command bundle_verify_command();
Command bundle_sign_command();
Command bundle_keygen_command();
Command bundle_trust_command();
Command bundle_diff_command();
Command bundle_merge_command();
Command bundle_extract_command();
Command bundle_inventory_command();
Command registry_serve_command();
Command registry_gc_command();
Command registry_passwd_command();
Command registry_unit_command();
Command images_push_command();
Command images_list_command();
Command images_copy_command();
Command images_sync_command();
Command images_import_command();
Command delegate_list_command();
Command delegate_claim_command();
Command delegate_renew_command();
Command delegate_report_command();
Command completion_command();
Command kubeconfig_command();
Command version_command();
Command debug_failpoints_command();
Command debug_snapshot_command();
Command debug_docs_command();

}  // namespace slipway::cli
