// The one description of every field of the spec, in fields*.cpp: key, help, example, rules.
//
//     const TypeInfo& type = document_type();           // the whole YAML document
//     type.find("spec")->type().find("hosts")->help;
//
// To add a field: a member in spec.hpp, a line in the describe() of its struct. Decoding, defaults,
// `slipway schema` and `slipway explain` follow.
#pragma once

#include "config/describe.hpp"
#include "config/spec.hpp"

namespace slipway::config {

struct Metadata {
    std::string name;
};

// The YAML document around a Spec.
struct Document {
    std::string api_version;
    std::string kind;
    Metadata metadata;
    Spec spec;
};

const TypeInfo& document_type();

void describe(Describe<Metadata>& d);
void describe(Describe<Document>& d);
void describe(Describe<Spec>& d);

// fields_hosts.cpp
void describe(Choices<Role>& c);
void describe(Describe<SecretRef>& d);
void describe(Describe<Taint>& d);
void describe(Describe<Become>& d);
void describe(Describe<Host>& d);

// fields_kubernetes.cpp
void describe(Choices<EndpointKind>& c);
void describe(Describe<Endpoint>& d);
void describe(Describe<Networks>& d);
void describe(Describe<ComponentTuning>& d);
void describe(Describe<Tuning>& d);
void describe(Describe<Audit>& d);
void describe(Describe<Encryption>& d);
void describe(Describe<Certificates>& d);
void describe(Describe<Kubernetes>& d);
void describe(Choices<EtcdMode>& c);
void describe(Describe<EtcdBackup>& d);
void describe(Describe<Etcd>& d);

// fields_platform.cpp
void describe(Describe<Runtime>& d);
void describe(Describe<NetworkPlugin>& d);
void describe(Describe<RegistryLogin>& d);
void describe(Describe<Registry>& d);

// fields_addons.cpp
void describe(Describe<Dns>& d);
void describe(Describe<LocalStorage>& d);
void describe(Describe<Storage>& d);
void describe(Describe<Component>& d);

// fields_os.cpp
void describe(Describe<TimeSync>& d);
void describe(Describe<Limits>& d);
void describe(Describe<Selinux>& d);
void describe(Describe<UserAccount>& d);
void describe(Describe<Folder>& d);
void describe(Describe<OsPreparation>& d);

// fields_run.cpp
void describe(Describe<Script>& d);
void describe(Describe<OperatorHook>& d);
void describe(Describe<FileCopy>& d);
void describe(Describe<Hooks>& d);
void describe(Describe<Steps>& d);
void describe(Choices<OnFailure>& c);
void describe(Describe<RunLimits>& d);

}  // namespace slipway::config
