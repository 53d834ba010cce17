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

TEST(Codec, LockRecords) {
  test::TraceBuilder builder;
  test::StreamBuilder& stream = builder.stream();
  stream.lock(7, 0x1234567890, LockKind::QueuingMutex, 3, kLockMayBeReused);
  stream.section({.work = 70000, .lead = 5, .wall = 9}, 7, 70000, kLockShared | kLockContended);
  stream.section({.work = 800}, 7, 2, kLockMany, 100000, 13);
  stream.take_lock({.lead = 11, .wall = 2}, 7, 3);
  stream.give_lock(4, 7, kLockShared);
  const auto source = builder.source();
  const auto info = analysis::read_info(source);
  analysis::StreamCursor cursor(source, 0, info.run);
  const Record& r = cursor.record();
  ASSERT_TRUE(cursor.next());
  EXPECT_EQ(ExtendedKind::LockObject, r.extended_kind);
  LockObjectPayload object;
  ASSERT_EQ(sizeof object, r.payload_bytes);
  std::memcpy(&object, r.payload, sizeof object);
  EXPECT_EQ(0x1234567890u, object.address);
  EXPECT_EQ(3u, object.generation);
  EXPECT_EQ(7u, object.slot);
  ASSERT_TRUE(cursor.next());
  EXPECT_EQ(Op::Section, r.op);
  EXPECT_EQ(5u, r.lead);
  EXPECT_EQ(70000u, r.work);
  EXPECT_EQ(9u, r.wall);
  EXPECT_EQ(7u, r.lock_slot);
  EXPECT_EQ(70000u, r.lock_place);
  EXPECT_EQ(1u, r.sections);
  EXPECT_EQ(kLockShared | kLockContended | kLockPlaceWide, r.flags);
  ASSERT_TRUE(cursor.next());
  EXPECT_EQ(100000u, r.sections);
  EXPECT_EQ(13u, r.work_error);
  EXPECT_EQ(2u, r.lock_place);
  ASSERT_TRUE(cursor.next());
  EXPECT_EQ(Op::Take, r.op);
  EXPECT_EQ(11u, r.lead);
  EXPECT_EQ(2u, r.wall);
  EXPECT_EQ(3u, r.lock_place);
  EXPECT_EQ(1u, r.sections);
  ASSERT_TRUE(cursor.next());
  EXPECT_EQ(Op::Give, r.op);
  EXPECT_EQ(4u, r.lead);
  EXPECT_EQ(kLockShared, r.flags);
  EXPECT_FALSE(cursor.next());
}

TEST(Codec, SectionsThatFollowEachOther) {
  std::byte bytes[4 * kMaxRecordBytes] = {};
  RecordEncoder first(bytes);
  const unsigned lead = first.field(70'000), work = first.field(5);
  first.operand(std::uint16_t{7});
  first.operand(std::uint32_t{70'001});
  std::byte* at = first.commit(make_tag(Op::Section, lead, work, 0, kLockShared | kLockPlaceWide));
  at = RecordEncoder::section_again(at, 0, 0xffff, 0);
  at = RecordEncoder::section_again(at, 0xffff, 0, kLockContended);
  RecordEncoder other(at);
  other.operand(std::uint16_t{8});
  std::byte* const give = at = other.commit(make_tag(Op::Give, 0, 0, 0, 0));
  at = RecordEncoder::section_again(at, 1, 1, 0);

  Record r;
  const std::byte* next = bytes;
  const auto is_section = [&](std::uint64_t at, std::uint64_t length, unsigned flags) {
    return decode(next, bytes + sizeof bytes, 0, r) == DecodeStatus::Ok && r.op == Op::Section &&
           r.lead == at && r.work == length && r.wall == 0 && r.flags == flags &&
           r.lock_slot == 7 && r.lock_place == 70'001 && r.sections == 1 && r.work_error == 0;
  };
  EXPECT_TRUE(is_section(70'000, 5, kLockShared | kLockPlaceWide));
  EXPECT_TRUE(is_section(70'005, 0xffff, 0));
  EXPECT_TRUE(is_section(70'004 + 0x10000 + 0xffff, 0, kLockContended));
  EXPECT_EQ(DecodeStatus::Ok, decode(next, bytes + sizeof bytes, 0, r));
  EXPECT_EQ(Op::Give, r.op);
  // One that follows none.
  EXPECT_EQ(give, next);
  EXPECT_EQ(DecodeStatus::UnknownOp, decode(next, bytes + sizeof bytes, 0, r));
  Record fresh;
  EXPECT_EQ(DecodeStatus::UnknownOp, decode(next, at, 0, fresh));
  // A torn one, at the end of the data.
  std::byte cut[5] = {};
  std::byte whole[8];
  RecordEncoder::section_again(whole, 1, 1, 0);
  std::memcpy(cut, whole, sizeof cut);
  fresh.after_section = cut;
  next = cut;
  EXPECT_EQ(DecodeStatus::Torn, decode(next, cut + sizeof cut, 0, fresh));
}

void expect_section(const Record& r, std::uint64_t begin, std::uint64_t work, unsigned slot,
                    unsigned place, unsigned flags) {
  EXPECT_EQ(Op::Section, r.op);
  EXPECT_EQ(begin, r.lead);
  EXPECT_EQ(work, r.work);
  EXPECT_EQ(0u, r.wall);
  EXPECT_EQ(slot, r.lock_slot);
  EXPECT_EQ(place, r.lock_place);
  EXPECT_EQ(flags, r.flags & ~kLockPlaceWide);
  EXPECT_EQ(1u, r.sections);
  EXPECT_EQ(0u, r.work_error);
}

TEST(Codec, BriefSections) {
  std::byte bytes[4 * kMaxRecordBytes] = {};
  std::byte* at = bytes;
  const auto put = [&](Op op, std::uint16_t slot, std::uint32_t place, unsigned flags) {
    RecordEncoder record(at);
    record.operand(slot);
    record.operand(place);
    at = record.commit(make_tag(op, 0, 0, 0, flags | kLockPlaceWide));
  };
  put(Op::Section, 7, 70'001, kLockShared);
  std::byte* const first_turn = at;
  ASSERT_TRUE(RecordEncoder::is_near(0x1ff, 0x3ff));
  EXPECT_FALSE(RecordEncoder::is_near(0x200, 0));
  EXPECT_FALSE(RecordEncoder::is_near(0, 0x400));
  at = RecordEncoder::section_near(at, 0x1ff, 0x3ff);
  at = RecordEncoder::section_near(at, 0, 0);
  put(Op::Section, 8, 3, kLockContended);
  ASSERT_TRUE(RecordEncoder::is_turn(0x1fff, 0x3fff));
  EXPECT_FALSE(RecordEncoder::is_turn(0x2000, 0));
  EXPECT_FALSE(RecordEncoder::is_turn(0, 0x4000));
  at = RecordEncoder::section_turn(at, 0x1fff, 0x3fff);
  at = RecordEncoder::section_turn(at, kTurnLead - 100, 1);
  at = RecordEncoder::section_near(at, 2, 1);
  at = RecordEncoder::section_again(at, 2, 1, 0);
  at = RecordEncoder::section_turn(at, kTurnLead, 0);
  at = RecordEncoder::section_turn(at, kTurnLead, 0);
  put(Op::Take, 9, 9, 0);
  std::byte* const after_take = at;
  at = RecordEncoder::section_near(at, 1, 1);
  at = RecordEncoder::section_turn(at, kTurnLead, 1);

  Record r;
  const std::byte* next = bytes;
  const auto is_section = [&](std::uint64_t begin, std::uint64_t work, unsigned slot,
                              unsigned place, unsigned flags) {
    EXPECT_EQ(DecodeStatus::Ok, decode(next, bytes + sizeof bytes, 0, r));
    expect_section(r, begin, work, slot, place, flags);
  };
  is_section(0, 0, 7, 70'001, kLockShared);
  // Nothing to exchange it for.
  std::byte turn[4];
  RecordEncoder::section_turn(turn, kTurnLead, 1);
  Record alone = r;
  alone.after_section = turn;
  const std::byte* at_turn = turn;
  EXPECT_EQ(DecodeStatus::UnknownOp, decode(at_turn, turn + sizeof turn, 0, alone));
  EXPECT_EQ(first_turn, next);
  is_section(0x1ff, 0x3ff, 7, 70'001, kLockShared);
  is_section(0x5fe, 0, 7, 70'001, kLockShared);
  is_section(0, 0, 8, 3, kLockContended);
  is_section(0xfff, 0x3fff, 7, 70'001, kLockShared);
  is_section(0x4ffe - 100, 1, 8, 3, kLockContended);
  is_section(0x4fff - 98, 1, 8, 3, kLockContended);
  is_section(0x4fff - 95, 1, 8, 3, 0);
  is_section(0x4fff - 94, 0, 7, 70'001, kLockShared);
  is_section(0x4fff - 94, 0, 8, 3, 0);
  EXPECT_EQ(DecodeStatus::Ok, decode(next, bytes + sizeof bytes, 0, r));
  EXPECT_EQ(Op::Take, r.op);
  // They follow none.
  EXPECT_EQ(after_take, next);
  EXPECT_EQ(DecodeStatus::UnknownOp, decode(next, bytes + sizeof bytes, 0, r));
  next = after_take + 3;
  EXPECT_EQ(DecodeStatus::UnknownOp, decode(next, bytes + sizeof bytes, 0, r));
  // Torn ones, at the end of the data.
  r.turn.is_known = true;
  for (unsigned size : {2u, 3u}) {
    std::byte cut[3];
    if (size == 2)
      std::memcpy(cut, after_take, sizeof cut);
    else
      std::memcpy(cut, after_take + 3, sizeof cut);
    r.after_section = next = cut;
    EXPECT_EQ(DecodeStatus::Torn, decode(next, cut + size, 0, r));
    EXPECT_EQ(cut, next);
  }
}

TEST(Codec, SectionsOfUses) {
  std::byte bytes[256]{};
  std::byte* at = bytes;
  const auto put = [&](unsigned slot, unsigned place, unsigned flags) {
    at = RecordEncoder::usual_section(at, 0x10000, 1, static_cast<std::uint16_t>(slot), place,
                                      flags);
  };
  at = RecordEncoder::lock_use(at, {70'001, 7, 63, kLockShared});
  put(8, 3, 0);
  ASSERT_TRUE(RecordEncoder::is_of_use(0x1fff, 0xffff));
  EXPECT_FALSE(RecordEncoder::is_of_use(0x2000, 0));
  EXPECT_FALSE(RecordEncoder::is_of_use(0, 0x10000));
  at = RecordEncoder::section_of_use(at, 63, 0x1fff, 0xffff);
  at = RecordEncoder::section_near(at, 2, 1); // of the whole record's lock, as before
  at = RecordEncoder::section_of_use(at, 63, kTurnLead - 5, 0);
  std::byte* const of_another = at;
  at = RecordEncoder::section_of_use(at, 62, kTurnLead, 0);

  Record r;
  const std::byte* next = bytes;
  const auto is_section = [&](std::uint64_t begin, std::uint64_t work, unsigned slot,
                              unsigned place, unsigned flags) {
    EXPECT_EQ(DecodeStatus::Ok, decode(next, bytes + sizeof bytes, 0, r));
    expect_section(r, begin, work, slot, place, flags);
  };
  EXPECT_EQ(DecodeStatus::Ok, decode(next, bytes + sizeof bytes, 0, r));
  EXPECT_EQ(Op::Extended, r.op);
  is_section(0x10000, 1, 8, 3, 0);
  is_section(0x11000, 0xffff, 7, 70'001, kLockShared);
  const std::uint64_t end = 0x11000 + 0xffff;
  is_section(end + 2, 1, 8, 3, 0);
  is_section(end - 2, 0, 7, 70'001, kLockShared);
  // Of a number that means nothing, and of all of them in another chunk.
  EXPECT_EQ(of_another, next);
  EXPECT_EQ(DecodeStatus::UnknownOp, decode(next, bytes + sizeof bytes, 0, r));
  EXPECT_EQ(of_another, next);
  std::byte cut[5];
  std::memcpy(cut, of_another - 5, sizeof cut);
  r.after_section = next = cut;
  EXPECT_EQ(DecodeStatus::Torn, decode(next, cut + 4, 0, r));
  EXPECT_EQ(cut, next);
  r.begin_chunk();
  r.after_section = cut;
  EXPECT_EQ(DecodeStatus::UnknownOp, decode(next, cut + 5, 0, r));
}

} // namespace
} // namespace tp::trace
