#include "config/render.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway::config {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const StringMap kValues = {{"host.name", "w1"}, {"values.site", "berlin"}, {"empty", ""}};

TEST(Render, ReplacesNamesWithAndWithoutSpaces) {
    const Rendered r = render("{{host.name}} at {{  values.site\t}}{{empty}}.\n", kValues);
    EXPECT_EQ(r.text, "w1 at berlin.\n");
    EXPECT_THAT(r.faults, IsEmpty());
}

TEST(Render, FourBracesStandForTwoAndClosingOnesAreText) {
    const Rendered r = render("{{{{ .Values.x }} and {{{{host.name}} }} { {", kValues);
    EXPECT_EQ(r.text, "{{ .Values.x }} and {{host.name}} }} { {");
    EXPECT_THAT(r.faults, IsEmpty());
}

TEST(Render, AValueIsNotReadAsATemplateAgain) {
    EXPECT_EQ(render("{{ a }}", {{"a", "{{ b }}"}}).text, "{{ b }}");
}

TEST(Render, EveryUndefinedNameIsNamedWithItsPlace) {
    const Rendered r = render("x\n  {{ host.nmae }} {{ nobody }}\n{{ host.name }}\n{{ q", kValues);
    ASSERT_THAT(r.faults, SizeIs(3));
    EXPECT_EQ(r.faults[0].line, 2);
    EXPECT_EQ(r.faults[0].column, 3);
    EXPECT_EQ(r.faults[0].todo, "did you mean host.name?");
    EXPECT_EQ(r.faults[1].line, 2);
    EXPECT_EQ(r.faults[1].column, 19);
    EXPECT_THAT(r.faults[1].what, HasSubstr("nobody"));
    EXPECT_EQ(r.faults[2].line, 4);
    EXPECT_THAT(r.faults[2].what, HasSubstr("not closed"));
}

TEST(Render, WhatIsNoNameIsAFaultAndNotSilentlyText) {
    for (const char* text : {"{{ if x }}", "{{}}", "{{{ host.name }}}", "{{ a b }}"}) {
        EXPECT_THAT(render(text, kValues).faults, SizeIs(1)) << text;
    }
}

RC_GTEST_PROP(Render, TextWithoutOpeningBracesStaysAsItIs, (const std::string& text)) {
    RC_PRE(text.find("{{") == std::string::npos);
    RC_ASSERT(render(text, kValues).text == text);
}

RC_GTEST_PROP(Render, DoublingTheBracesIsUndoneByRendering, (std::vector<bool> shape)) {
    std::string plain, escaped;
    for (const bool brace : shape) {
        plain += brace ? "{{ " : "ab ";
        escaped += brace ? "{{{{ " : "ab ";
    }
    const Rendered r = render(escaped, {});
    RC_ASSERT(r.text == plain);
    RC_ASSERT(r.faults.empty());
}

TEST(TemplateValues, SayWhatTheSpecSays) {
    Spec spec;
    spec.name = "demo";
    Host cp;
    cp.name = "cp1";
    cp.address = "203.0.113.5";
    cp.internal_address = "10.0.0.5";
    cp.roles = {Role::worker, Role::control_plane};
    spec.hosts = {cp};
    spec.kubernetes.endpoint.domain = "api.demo";
    spec.hooks.values = {{"site", "berlin"}};
    const StringMap values = template_values(spec, &spec.hosts[0]);
    const StringMap expected = {{"cluster.name", "demo"},
                                {"kubernetes.version", spec.kubernetes.version},
                                {"endpoint.domain", "api.demo"},
                                {"endpoint.address", "10.0.0.5"},
                                {"endpoint.port", "6443"},
                                {"values.site", "berlin"},
                                {"host.name", "cp1"},
                                {"host.address", "203.0.113.5"},
                                {"host.internalAddress", "10.0.0.5"},
                                {"host.roles", "control-plane,worker"}};
    EXPECT_EQ(values, expected);
    EXPECT_FALSE(template_values(spec, nullptr).contains("host.name"));
}

}  // namespace
}  // namespace slipway::config
