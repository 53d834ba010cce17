// SPDX-License-Identifier: Apache-2.0
// Encoding and decoding of records, both in this file so that they cannot diverge. Header-only,
// without dependencies. The encoder is on the hot path of the profiled program: it has no loop, and
// no branch on a field's width.
#pragma once

#include "tp/trace/trace_format.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

namespace tp::trace {

inline constexpr unsigned kMaxExtraEvents = 4;

// The largest record: tag, three fields of 8 bytes, a u16 of width codes and the extra events,
// operands of at most 52 bytes (an Extended payload with its head). Fields are stored with 8-byte writes, so up
// to 8 zero bytes may be written after it.
inline constexpr std::size_t kMaxRecordBytes = 2 + 3 * 8 + 2 + kMaxExtraEvents * 8 + 52 + 8;

// 0 for 0, 1 below 2^16, 2 below 2^32, else 3: an index into kWidthBytes.
constexpr unsigned width_code(std::uint64_t value) {
  return (value != 0) + (value >= (1u << 16)) + (value >= (std::uint64_t{1} << 32));
}

constexpr std::uint16_t make_tag(Op op, unsigned lead_code, unsigned work_code, unsigned wall_code,
                                 unsigned flags) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(op) | lead_code << kLeadShift |
                                    work_code << kWorkShift | wall_code << kWallShift |
                                    flags << kFlagShift);
}

// Mixes the record bytes of a chunk, eight at a time. Not cryptographic: it detects torn and
// damaged files.
inline std::uint64_t checksum(const std::byte* data, std::size_t size) {
  std::uint64_t state = 0x9e3779b97f4a7c15ull ^ size;
  const auto mix = [&state, &data](std::size_t bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, data, bytes);
    state = std::rotl((state ^ word) * 0xff51afd7ed558ccdull, 29);
    data += bytes;
  };
  for (; size >= 8; size -= 8)
    mix(8);
  if (size > 0)
    mix(size);
  return state ^ state >> 32;
}

// The check of the header fields that are fixed when a chunk is opened.
inline std::uint32_t header_check(ChunkHeader header) {
  header.header_check = 0;
  header.used_bytes = 0;
  header.flags = 0;
  header.checksum = 0;
  std::byte bytes[sizeof header];
  std::memcpy(bytes, &header, sizeof header);
  return static_cast<std::uint32_t>(checksum(bytes, sizeof bytes));
}

// ---- encode -------------------------------------------------------------------------------------

// Writes one record at `at`, where kMaxRecordBytes must be free and zero. It writes the fields
// first and the tag last: a process that is killed in between leaves a zero tag, that is, no
// record.
class RecordEncoder {
public:
  explicit RecordEncoder(std::byte* at) : start_(at), cursor_(at + sizeof(std::uint16_t)) {}

  // Appends a field as wide as its value needs; returns its width code. Values fit their width, so
  // the bytes that an 8-byte store writes after the field are zero, and the next store overwrites
  // them.
  unsigned field(std::uint64_t value) {
    const unsigned code = width_code(value);
    number(value, kWidthBytes[code]);
    return code;
  }
  // Appends the three fields of a step; returns their width codes, shifted into place for the tag.
  // In nearly all steps lead and work fit into two bytes and wall is 0.
  [[gnu::always_inline]] unsigned figures(std::uint64_t lead, std::uint64_t work,
                                          std::uint64_t wall) {
    if (lead - 1 < 0xffff && work - 1 < 0xffff && wall == 0) [[likely]] {
      number(lead | work << 16, 4);
      return 1u << kLeadShift | 1u << kWorkShift;
    }
    const auto [end, codes] = wide_figures(*this, lead, work, wall);
    cursor_ = end;
    return codes;
  }
  // Appends a number that fits into `width` bytes.
  void number(std::uint64_t value, unsigned width) {
    std::memcpy(cursor_, &value, sizeof value);
    cursor_ += width;
  }
  template <typename Value>
  void operand(Value value) {
    std::memcpy(cursor_, &value, sizeof value);
    cursor_ += sizeof value;
  }
  void bytes(const void* data, std::size_t size) {
    std::memcpy(cursor_, data, size);
    cursor_ += size;
  }
  // Makes the record valid; returns the address of the next one.
  std::byte* commit(std::uint16_t tag) {
    std::atomic_signal_fence(std::memory_order_release);
    std::memcpy(start_, &tag, sizeof tag);
    return cursor_;
  }

  // A Section of 12 bytes, in two stores, the tag with the last. `lead` is of 17 to 32 bits, `work` below 2^16 and not 0.
  static constexpr bool is_usual_section(std::uint64_t lead, std::uint64_t work,
                                         std::uint32_t place) {
    return work - 1 < 0xffff && place < 0xffff && lead - 0x10000 < 0xffff'0000;
  }
  static std::byte* usual_section(std::byte* at, std::uint64_t lead, std::uint64_t work,
                                  std::uint16_t slot, std::uint32_t place, unsigned flags) {
    const std::uint32_t lock = slot | place << 16;
    std::memcpy(at + 8, &lock, sizeof lock);
    const std::uint64_t record = make_tag(Op::Section, 2, 1, 0, flags) | lead << 16 | work << 48;
    std::atomic_signal_fence(std::memory_order_release);
    std::memcpy(at, &record, sizeof record);
    return at + 12;
  }
  // A SectionAgain, in one store. `lead` and `work` are below 2^16.
  static std::byte* section_again(std::byte* at, std::uint64_t lead, std::uint64_t work,
                                  unsigned flags) {
    const std::uint64_t record =
        make_tag(Op::SectionAgain, 1, 1, 0, flags) | lead << 16 | work << 32;
    std::memcpy(at, &record, sizeof record);
    return at + 6;
  }
  // A SectionNear, if it can be one.
  static bool is_near(std::uint64_t lead, std::uint64_t work) {
    return (lead >> kNearLeadBits | work >> kNearWorkBits) == 0;
  }
  static std::byte* section_near(std::byte* at, std::uint64_t lead, std::uint64_t work) {
    const auto record = static_cast<std::uint32_t>(static_cast<unsigned>(Op::SectionNear) |
                                                   lead << 5 | work << (5 + kNearLeadBits));
    std::memcpy(at, &record, sizeof record);
    return at + 3;
  }
  // A SectionTurn, likewise. `lead`: kTurnLead more than it is.
  static bool is_turn(std::uint64_t lead, std::uint64_t work) {
    return (lead >> kTurnLeadBits | work >> kTurnWorkBits) == 0;
  }
  static std::byte* section_turn(std::byte* at, std::uint64_t lead, std::uint64_t work) {
    const auto record = static_cast<std::uint32_t>(static_cast<unsigned>(Op::SectionTurn) |
                                                   lead << 5 | work << (5 + kTurnLeadBits));
    std::memcpy(at, &record, sizeof record);
    return at + 4;
  }
  // A SectionOfUse, likewise.
  static bool is_of_use(std::uint64_t lead, std::uint64_t work) {
    return (lead >> kTurnLeadBits | work >> kUseWorkBits) == 0;
  }
  static std::byte* section_of_use(std::byte* at, unsigned number, std::uint64_t lead,
                                   std::uint64_t work) {
    const std::uint64_t record = static_cast<unsigned>(Op::SectionOfUse) | number << 5 |
                                 lead << (5 + kLockUseBits) |
                                 work << (5 + kLockUseBits + kTurnLeadBits);
    std::memcpy(at, &record, sizeof record);
    return at + 5;
  }
  // The LockUse of such sections. `at`: two records have room.
  static std::byte* lock_use(std::byte* at, const LockUsePayload& use) {
    RecordEncoder record(at);
    record.operand(ExtendedKind::LockUse);
    record.operand(std::uint8_t{0});
    record.operand(static_cast<std::uint16_t>(sizeof use));
    record.operand(use);
    return record.commit(make_tag(Op::Extended, 0, 0, 0, 0));
  }

private:
  struct Appended {
    std::byte* end;
    unsigned codes;
  };
  // A separate function with parameters by value, so that callers keep their encoder in registers.
  [[gnu::noinline]] static Appended wide_figures(RecordEncoder record, std::uint64_t lead,
                                                 std::uint64_t work, std::uint64_t wall) {
    const unsigned lead_code = record.field(lead), work_code = record.field(work);
    const unsigned wall_code = record.field(wall);
    return {record.cursor_,
            lead_code << kLeadShift | work_code << kWorkShift | wall_code << kWallShift};
  }
  std::byte* start_;
  std::byte* cursor_;
};

// ---- decode -------------------------------------------------------------------------------------

// What section records that directly follow one another say of the lock.
struct SectionLock {
  std::uint32_t place = 0;
  std::uint16_t slot = 0;
  std::uint8_t flags = 0;
  bool is_known = false;
};

// One record, with its operands as stored (codes are not yet resolved to ids). SectionAgain, SectionNear,
// SectionTurn and SectionOfUse are read as Sections. decode() sets the
// figures and only those operands that the record has; the other operands keep the values of
// earlier records.
struct Record {
  Op op = Op::None;
  std::uint8_t flags = 0;
  std::uint64_t lead = 0;
  std::uint64_t work = 0;
  std::uint64_t wall = 0;
  std::uint64_t extra[kMaxExtraEvents] = {};
  std::uint32_t site = 0;          // Spawn, SpawnWait with SiteCode U16 or U32
  std::uint8_t context_traits = 0; // context operand with ContextCode New
  std::uint64_t id = 0;            // packed context, task or edge id; Back16, Back32: the distance
  std::uint32_t region = 0;        // Region
  std::uint16_t lock_slot = 0;     // Section, Take, Give
  std::uint32_t lock_place = 0;    // Section, Take
  std::uint32_t sections = 1;      // Section: how many it represents,
  std::uint32_t work_error = 0;    // and the standard error of their work; 0: it is exact
  std::uint64_t section_end = 0;   // Section: where it ends in the step,
  const std::byte* after_section = nullptr; // and where its record does
  SectionLock section, turn; // of the last one, and what a SectionTurn exchanges it for
  SectionLock uses[1u << kLockUseBits] = {}; // of the chunk's LockUse records
  std::uint64_t iterations = 1;              // LoopEnd, PortionEnd
  std::uint64_t grain = 1;                   // LoopEnd, PortionEnd
  ExtendedKind extended_kind{};
  std::uint16_t payload_bytes = 0;
  const std::byte* payload = nullptr; // Extended; points into the chunk

  // For the records of another chunk.
  void begin_chunk() {
    after_section = nullptr;
    std::fill(std::begin(uses), std::end(uses), SectionLock{});
  }
};

constexpr bool closes_step(Op op) {
  switch (op) {
  case Op::Spawn:
  case Op::SpawnWait:
  case Op::Wait:
  case Op::End:
  case Op::Task:
  case Op::LoopBegin:
  case Op::LoopEnd:
  case Op::Join:
  case Op::Release:
  case Op::Acquire:
  case Op::Cut:
  case Op::PortionEnd:
  case Op::PortionJoin:
    return true;
  default:
    return false;
  }
}

constexpr bool has_context(Op op) {
  return op == Op::Spawn || op == Op::SpawnWait || op == Op::Wait || op == Op::ContextEnd;
}

enum class DecodeStatus { Ok, EndOfData, Torn, UnknownOp };

// A SectionNear, SectionTurn or SectionOfUse.
inline DecodeStatus decode_brief_section(const std::byte*& at, const std::byte* end,
                                         Record& record) {
  const bool turns = record.op == Op::SectionTurn, is_of_use = record.op == Op::SectionOfUse;
  const unsigned size = is_of_use ? 5 : turns ? 4 : 3;
  if (at != record.after_section || (turns && !record.turn.is_known))
    return DecodeStatus::UnknownOp;
  if (static_cast<std::size_t>(end - at) < size)
    return DecodeStatus::Torn;
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, size);
  bits >>= 5;
  const auto take = [&bits](unsigned count) {
    const std::uint64_t value = bits & ((1u << count) - 1);
    bits >>= count;
    return value;
  };
  const SectionLock& lock = is_of_use ? record.uses[take(kLockUseBits)] : record.section;
  if (!lock.is_known)
    return DecodeStatus::UnknownOp;
  if (turns)
    std::swap(record.section, record.turn);
  record.op = Op::Section;
  record.lead = record.section_end +
                (is_of_use || turns ? take(kTurnLeadBits) - kTurnLead : take(kNearLeadBits));
  record.work = bits;
  record.wall = 0;
  record.flags = lock.flags & (kLockShared | kLockContended);
  record.lock_slot = lock.slot;
  record.lock_place = lock.place;
  record.sections = 1;
  record.work_error = 0;
  record.section_end = record.lead + record.work;
  at += size;
  record.after_section = at;
  return DecodeStatus::Ok;
}

// The implementation of decode(). kAmple: kMaxRecordBytes follow `at`, so only a payload needs a
// check.
template <bool kAmple>
inline DecodeStatus decode_as(const std::byte*& at, const std::byte* end, unsigned extra_events,
                              Record& record) {
  const std::byte* cursor = at;
  bool torn = false;
  const auto take = [&](unsigned size) -> std::uint64_t {
    static constexpr std::uint64_t kMasks[] = {0,
                                               0xff,
                                               0xffff,
                                               0xffffff,
                                               0xffffffff,
                                               0xffffffffff,
                                               0xffffffffffff,
                                               0xffffffffffffff,
                                               ~std::uint64_t{0}};
    std::uint64_t value = 0;
    if constexpr (kAmple) {
      // A load of fixed size, masked to the field: much faster than a memcpy of `size` bytes.
      std::memcpy(&value, cursor, sizeof value);
      value &= kMasks[size];
    } else {
      if (static_cast<std::size_t>(end - cursor) < size) {
        torn = true;
        return 0;
      }
      std::memcpy(&value, cursor, size);
    }
    cursor += size;
    return value;
  };
  if (cursor == end)
    return DecodeStatus::EndOfData;
  if (end - cursor < 2)
    return DecodeStatus::Torn;
  const auto tag = static_cast<unsigned>(take(2));
  if (tag == 0)
    return DecodeStatus::EndOfData;

  record.op = static_cast<Op>(tag & 31);
  record.flags = static_cast<std::uint8_t>(tag >> kFlagShift);
  if (record.op == Op::None)
    return DecodeStatus::UnknownOp;
  if (record.op > Op::SectionAgain && record.op != Op::Extended) {
    return record.op <= Op::SectionOfUse ? decode_brief_section(at, end, record)
                                         : DecodeStatus::UnknownOp;
  }
  constexpr unsigned kFigures = (1u << kFlagShift) - (1u << kLeadShift);
  if (kAmple && (tag & kFigures) == (1u << kLeadShift | 1u << kWorkShift)) [[likely]] {
    const std::uint64_t figures = take(4); // as in RecordEncoder::figures()
    record.lead = figures & 0xffff;
    record.work = figures >> 16;
    record.wall = 0;
  } else {
    record.lead = take(kWidthBytes[tag >> kLeadShift & 3]);
    record.work = take(kWidthBytes[tag >> kWorkShift & 3]);
    record.wall = take(kWidthBytes[tag >> kWallShift & 3]);
  }
  if (extra_events > 0 && closes_step(record.op)) {
    const auto codes = static_cast<unsigned>(take(2));
    for (unsigned event = 0; event < extra_events; ++event)
      record.extra[event] = take(kWidthBytes[codes >> 2 * event & 3]);
  }
  const auto take_context = [&] {
    const auto code = static_cast<ContextCode>(record.flags >> kContextShift & 3);
    if (code == ContextCode::New)
      record.context_traits = static_cast<std::uint8_t>(take(1));
    else if (code == ContextCode::Id)
      record.id = take(8);
  };
  switch (record.op) {
  case Op::Spawn:
  case Op::SpawnWait:
    if (const auto code = static_cast<SiteCode>(record.flags & 3); code == SiteCode::U16)
      record.site = static_cast<std::uint32_t>(take(2));
    else if (code == SiteCode::U32)
      record.site = static_cast<std::uint32_t>(take(4));
    take_context();
    break;
  case Op::Wait:
  case Op::ContextEnd:
    take_context();
    break;
  case Op::Begin:
  case Op::Task:
    record.id = take(kWidthBytes[record.flags & 3]);
    break;
  case Op::LoopEnd:
  case Op::PortionEnd:
    record.iterations = record.flags & 3 ? take(kWidthBytes[record.flags & 3]) : 1;
    record.grain = record.flags >> 2 & 3 ? take(kWidthBytes[record.flags >> 2 & 3]) : 1;
    break;
  case Op::Acquire:
    record.id = take(8);
    break;
  case Op::Region:
    record.region = static_cast<std::uint32_t>(take(record.flags & kRegionWide ? 4 : 2));
    break;
  case Op::Section:
  case Op::Take:
    record.lock_slot = static_cast<std::uint16_t>(take(2));
    record.lock_place = static_cast<std::uint32_t>(take(record.flags & kLockPlaceWide ? 4 : 2));
    record.sections = 1;
    record.work_error = 0;
    if (record.op == Op::Section && record.flags & kLockMany) {
      record.sections = static_cast<std::uint32_t>(take(4));
      record.work_error = static_cast<std::uint32_t>(take(4));
    }
    if (record.op == Op::Section) {
      if (at == record.after_section)
        record.turn = record.section;
      else
        record.turn.is_known = false;
      record.section = {record.lock_place, record.lock_slot, record.flags, true};
      record.section_end = record.lead + record.work;
      record.after_section = cursor;
    } else {
      record.after_section = nullptr;
    }
    break;
  case Op::Give:
    record.lock_slot = static_cast<std::uint16_t>(take(2));
    break;
  case Op::SectionAgain: // is read as a Section
    if (at != record.after_section)
      return DecodeStatus::UnknownOp;
    record.op = Op::Section;
    record.section.flags = record.flags;
    record.lock_slot = record.section.slot;
    record.lock_place = record.section.place;
    record.lead += record.section_end;
    record.sections = 1;
    record.work_error = 0;
    record.section_end = record.lead + record.work;
    record.after_section = cursor;
    break;
  case Op::Extended:
    record.extended_kind = static_cast<ExtendedKind>(take(1));
    take(1);
    record.payload_bytes = static_cast<std::uint16_t>(take(2));
    if (static_cast<std::size_t>(end - cursor) < record.payload_bytes) {
      torn = true;
    } else {
      record.payload = cursor;
      cursor += record.payload_bytes;
      if (LockUsePayload use;
          record.extended_kind == ExtendedKind::LockUse && record.payload_bytes >= sizeof use) {
        std::memcpy(&use, record.payload, sizeof use);
        record.uses[use.number & ((1u << kLockUseBits) - 1)] = {use.place, use.slot, use.flags,
                                                                true};
      }
    }
    break;
  default:
    break;
  }
  if (torn)
    return DecodeStatus::Torn;
  at = cursor;
  return DecodeStatus::Ok;
}

// Reads the record at `at` (records end at `end`) into `record` and moves `at` past it. EndOfData:
// a zero tag or no byte left. Torn: the record extends beyond `end`. On failure `at` is unchanged.
inline DecodeStatus decode(const std::byte*& at, const std::byte* end, unsigned extra_events,
                           Record& record) {
  return static_cast<std::size_t>(end - at) >= kMaxRecordBytes
             ? decode_as<true>(at, end, extra_events, record)
             : decode_as<false>(at, end, extra_events, record);
}

} // namespace tp::trace
