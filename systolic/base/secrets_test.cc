#include "systolic/base/secrets.h"

#include <gtest/gtest.h>

#include "systolic/base/message.h"

namespace systolic::internal {
namespace {

TEST(SecretsTest, WhatLetsSomebodyInIsNotShown) {
  EXPECT_EQ(without_secrets("https://user:password@host/f"),
            "https://...@host/f");
  EXPECT_EQ(without_secrets("http://token@host"), "http://...@host");
  EXPECT_EQ(without_secrets("https://h/f?X-Amz-Signature=ab=&X-Token=c&d"),
            "https://h/f?X-Amz-Signature=...&X-Token=...&...");
  EXPECT_EQ(without_secrets("https://h?token"), "https://h?...");
  EXPECT_EQ(without_secrets("abfs://:key==@account.net/c/f"),
            "abfs://:...@account.net/c/f");
  EXPECT_EQ(without_secrets("\"https://h/f?a=1\" and 'http://u:p@h', b?c=d"),
            "\"https://h/f?a=...\" and 'http://...@h', b?c=d");
}

TEST(SecretsTest, AllElseStaysAsItIs) {
  for (const char* text :
       {"", "a@b:c?d=e", "gs://bucket/what?.tfrec", "https://h:80/a@b/c=d",
        "abfs://container@account.net/f", "://", "https://"}) {
    EXPECT_EQ(without_secrets(text), text);
  }
}

TEST(SecretsTest, ErrorsDoNotShowThem) {
  EXPECT_EQ(Message("open_file")
                .expected("a file that can be had")
                .got("\"https://u:pw@h/f?sig=abc\"")
                .detail("path", "https://u:pw@h/f?sig=abc")
                .str(),
            "open_file: expected a file that can be had, got "
            "\"https://...@h/f?sig=...\"\n  path: https://...@h/f?sig=...");
}

}  // namespace
}  // namespace systolic::internal
