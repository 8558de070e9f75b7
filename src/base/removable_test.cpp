#include "base/removable.hpp"

#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(Removable, AFolderOfOneProgramIs) {
    for (const char* path : {"/var/lib/kubelet", "/etc/kubernetes", "/run/containerd", "/opt/cni",
                             "/var/lib/a b", "/var/lib/..x", "/usr/local/x"})
        EXPECT_TRUE(may_remove_tree(path)) << path;
}

TEST(Removable, WhatTheSystemNeedsIsNot) {
    for (const char* path : {"/", "/var", "/usr", "/etc", "/home", "/root", "/var/lib", "/usr/bin",
                             "/var/run", "/usr/local", "/proc/sys", "/sys/fs/cgroup", "/dev/shm"})
        EXPECT_FALSE(may_remove_tree(path)) << path;
}

TEST(Removable, APathThatLeadsElsewhereIsNot) {
    for (const char* path : {"", "var/lib/x", "/var/lib/x/", "/var//lib", "/var/lib/../x",
                             "/var/./lib", "//var", "/var/lib/x/..", "/var/"})
        EXPECT_FALSE(may_remove_tree(path)) << path;
    EXPECT_FALSE(may_remove_tree(std::string_view("/var/lib/x\0y", 12)));
}

}  // namespace
}  // namespace slipway
