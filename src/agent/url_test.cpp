#include "agent/url.hpp"

#include "agent/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::agent {

namespace {

std::string parts(const std::string& text) {
    const Url url = parse_url(text);
    return std::string(url.tls ? "tls " : "") + url.host + " " + std::to_string(url.port) + " " +
           url.target;
}

std::string refused(const std::string& text) {
    try {
        return "accepted " + parts(text);
    } catch (const Failed& failed) {
        return failed.code;
    }
}

TEST(Url, HasItsParts) {
    EXPECT_EQ(parts("http://reg.example/a/b?c=d#e"), "reg.example 80 /a/b?c=d");
    EXPECT_EQ(parts("https://10.0.0.5:5000"), "tls 10.0.0.5 5000 /");
    EXPECT_EQ(parts("https://[fd00::5]/x"), "tls fd00::5 443 /x");
    EXPECT_EQ(parts("http://[fd00::5]:81?q"), "fd00::5 81 /?q");
}

TEST(Url, IsShownWithoutItsQuery) {
    EXPECT_EQ(parse_url("https://r.example:443/f?X-Signature=s").shown(), "https://r.example/f");
    EXPECT_EQ(parse_url("http://[fd00::5]:81/").authority(), "[fd00::5]:81");
}

TEST(Url, OfAnotherShapeIsRefused) {
    for (const char* bad :
         {"", "ftp://a/", "http:/a", "http://", "http:///x", "http://a:0/", "http://a:65536/",
          "http://a:/", "http://a:b/", "http://user:pw@a/", "http://[fd00::5/",
          "http://[10.0.0.1]/", "http://[::1]x/", "http://-a/", "http://a b/", "http://a/\r\nX: y",
          "http://a/\xc3\xa4", "http://fd00::5/", "HTTP://a/"}) {
        EXPECT_EQ(refused(bad), "bad-request") << bad;
    }
    EXPECT_EQ(refused("http://a/" + std::string(9000, 'x')), "bad-request");
}

TEST(Url, RedirectsAreReadFromWhereTheyCame) {
    const Url from = parse_url("http://a.example:8080/x/y?z=1");
    const auto to = [&](const char* location) { return redirected(from, location).shown(); };
    EXPECT_EQ(to("https://b.example/c"), "https://b.example/c");
    EXPECT_EQ(to("//b.example/c"), "http://b.example/c");
    EXPECT_EQ(to("/c"), "http://a.example:8080/c");
    EXPECT_EQ(to("c/d"), "http://a.example:8080/x/c/d");
    EXPECT_EQ(redirected(from, "?q=2").target, "/x/y?q=2");
    EXPECT_EQ(redirected(from, "c?u=http://evil").target, "/x/c?u=http://evil");
    EXPECT_TRUE(redirected(from, "/c").same_origin(from));
    EXPECT_FALSE(redirected(from, "http://a.example/").same_origin(from));
    EXPECT_THROW(redirected(from, "javascript:x"), Failed);
    EXPECT_THROW(redirected(parse_url("https://a/"), "http://a/"), Failed);
}

}  // namespace

}  // namespace slipway::agent
