// SPDX-License-Identifier: Apache-2.0
// Records of every operation and every width survive encoding and decoding.
#include "trace/metadata_reader.h"
#include "trace/stream_cursor.h"
#include "trace_builder.h"

#include <gtest/gtest.h>

namespace tp::trace {
namespace {

constexpr std::uint64_t kWidths[] = {0,          1,           0xffff,           0x10000,
                                     0xffffffff, 0x100000000, ~std::uint64_t{0}};

TEST(Codec, FieldsOfEveryWidth) {
  for (const std::uint64_t lead : kWidths)
    for (const std::uint64_t work : kWidths)
      for (const std::uint64_t wall : kWidths) {
        std::byte space[kMaxRecordBytes] = {};
        RecordEncoder encoder(space);
        const unsigned a = encoder.field(lead), b = encoder.field(work), c = encoder.field(wall);
        const std::byte* const end = encoder.commit(make_tag(Op::Cut, a, b, c, 0));
        // The short way to write all three produces the same bytes.
        std::byte other[kMaxRecordBytes] = {};
        RecordEncoder short_encoder(other);
        const unsigned codes = short_encoder.figures(lead, work, wall);
        short_encoder.commit(static_cast<std::uint16_t>(make_tag(Op::Cut, 0, 0, 0, 0) | codes));
        EXPECT_EQ(0, std::memcmp(space, other, sizeof space));
        const std::byte* at = space;
        Record record;
        ASSERT_EQ(DecodeStatus::Ok, decode(at, end, 0, record));
        EXPECT_EQ(end, at);
        EXPECT_EQ(lead, record.lead);
        EXPECT_EQ(work, record.work);
        EXPECT_EQ(wall, record.wall);
        // Every shorter prefix is torn.
        for (const std::byte* cut = space + 1; cut < end; ++cut) {
          at = space;
          EXPECT_EQ(DecodeStatus::Torn, decode(at, cut, 0, record));
        }
      }
}

TEST(Codec, OperandsOfEveryOperation) {
  test::TraceBuilder builder;
  builder.extra_events = {"a", "b"};
  test::StreamBuilder& stream = builder.stream();
  stream.extra = {70000, 5};
  const std::uint64_t id = pack_id(7, 123456789);
  stream.spawn({1}, test::SiteOperand::of(70000), test::ContextOperand::of(id), true);
  stream.begin(test::TaskOperand::of(id), 3, kTaskCancelled);
  stream.task(test::TaskOperand::back(70000), {2});
  stream.loop_end({4}, std::uint64_t{1} << 40, 70000);
  stream.acquire({5}, id);
  stream.region(70000, 6);
  stream.context_end(test::ContextOperand::of(id));
  const auto source = builder.source();
  const auto info = analysis::read_info(source);
  analysis::StreamCursor cursor(source, 0, info.run);
  const auto next = [&]() -> const Record& {
    EXPECT_TRUE(cursor.next());
    return cursor.record();
  };
  {
    const Record& r = next();
    EXPECT_EQ(Op::Spawn, r.op);
    EXPECT_EQ(70000u, r.site);
    EXPECT_EQ(id, r.id);
    EXPECT_EQ(70000u, r.extra[0]);
    EXPECT_EQ(5u, r.extra[1]);
    EXPECT_TRUE(r.flags & kSpawnSplit);
    cursor.count_spawn();
  }
  EXPECT_EQ(id, next().id);
  EXPECT_TRUE(cursor.record().flags & kTaskCancelled);
  EXPECT_EQ(70000u, next().id);
  EXPECT_EQ(std::uint64_t{1} << 40, next().iterations);
  EXPECT_EQ(70000u, cursor.record().grain);
  EXPECT_EQ(id, next().id);
  EXPECT_EQ(70000u, next().region);
  EXPECT_EQ(6u, cursor.record().work);
  EXPECT_EQ(id, next().id);
  EXPECT_FALSE(cursor.next());
}

} // namespace
} // namespace tp::trace
