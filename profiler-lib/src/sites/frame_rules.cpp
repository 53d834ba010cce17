// SPDX-License-Identifier: Apache-2.0
// See frame_rules.h. Interprets the call frame instructions of one function, as far as they concern
// the CFA, the frame pointer and the return address.
#include "sites/frame_rules.h"

#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
extern "C" {
// The unwinder's own look-up (libgcc, LLVM's libunwind), which finds the description of a loaded
// function in a sorted table, or registered code.
struct tp_eh_bases {
  void* text;
  void* data;
  void* function; // first address that the description covers
};
__attribute__((weak)) const void* _Unwind_Find_FDE(void* address, tp_eh_bases* bases);
}

namespace tp::rt {
namespace {

// Numbers of registers in DWARF on x86-64, and DW_OP_breg0.
constexpr std::uint64_t kFramePointer = 6, kStackPointer = 7, kReturnAddress = 16;
constexpr std::uint8_t kBaseRegister0 = 0x70;
// As Row::saved: not an offset from the CFA.
constexpr std::int64_t kAtFramePointer = 8 * FrameRule::kSavedAtFramePointer;

// A sequence of bytes of the description. Reading beyond the end sets `failed`.
struct Bytes {
  const std::uint8_t* at;
  const std::uint8_t* end;
  bool failed = false;

  bool empty() const noexcept { return failed || at >= end; }
  template <typename Integer>
  Integer read() noexcept {
    Integer value{};
    if (static_cast<std::size_t>(end - at) < sizeof value) {
      failed = true;
      return value;
    }
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::uint64_t unsigned_leb() noexcept { return leb().value; }
  std::int64_t signed_leb() noexcept {
    const auto [value, bits, is_negative] = leb();
    return static_cast<std::int64_t>(is_negative && bits < 64 ? value | ~std::uint64_t{0} << bits
                                                              : value);
  }
  Bytes take(std::uint64_t count) noexcept {
    if (count > static_cast<std::uint64_t>(end - at)) {
      failed = true;
      return {end, end};
    }
    const Bytes taken{at, at + count};
    at += count;
    return taken;
  }

private:
  struct Leb { // seven bits in each byte, the low ones first
    std::uint64_t value;
    unsigned bits;
    bool is_negative; // if it has a sign
  };
  Leb leb() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = read<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80u) == 0)
        return {value, shift + 7, (byte & 0x40u) != 0};
    }
    failed = true;
    return {value, 64, false};
  }
};

// Bytes of a pointer in this encoding (DW_EH_PE_*); 0: of another kind.
unsigned pointer_bytes(std::uint8_t encoding) noexcept {
  switch (encoding & 0x0f) {
  case 0x00:
  case 0x04:
  case 0x0c:
    return 8;
  case 0x02:
  case 0x0a:
    return 2;
  case 0x03:
  case 0x0b:
    return 4;
  default:
    return 0;
  }
}

struct CommonEntry { // what the descriptions of a module's functions share
  std::uint64_t code_factor = 1;
  std::int64_t data_factor = 1;
  std::uint8_t encoding = 0; // of a function's addresses
  bool has_size = false;     // of the functions' augmentation data
  Bytes program{nullptr, nullptr};
};

// Entries begin with their length; 0xffffffff, for more than 4 GiB, is not in use.
Bytes content_of(const std::uint8_t* entry) noexcept {
  std::uint32_t length;
  std::memcpy(&length, entry, sizeof length);
  if (length == 0xffffffffu)
    length = 0;
  return {entry + sizeof length, entry + sizeof length + length};
}

bool read_common(const std::uint8_t* entry, CommonEntry& common) noexcept {
  Bytes bytes = content_of(entry);
  bytes.read<std::uint32_t>(); // 0: a common entry
  const auto version = bytes.read<std::uint8_t>();
  if (bytes.failed || (version != 1 && version != 3))
    return false;
  const char* augmentation = reinterpret_cast<const char*>(bytes.at);
  while (bytes.read<char>() != '\0' && !bytes.failed) {
  }
  common.code_factor = bytes.unsigned_leb();
  common.data_factor = bytes.signed_leb();
  if ((version == 1 ? bytes.read<std::uint8_t>() : bytes.unsigned_leb()) != kReturnAddress ||
      bytes.failed)
    return false;
  if (*augmentation == 'z') {
    common.has_size = true;
    Bytes data = bytes.take(bytes.unsigned_leb());
    for (++augmentation; *augmentation != '\0'; ++augmentation)
      switch (*augmentation) {
      case 'R':
        common.encoding = data.read<std::uint8_t>();
        break;
      case 'L':
        data.read<std::uint8_t>();
        break;
      case 'P':
        data.take(pointer_bytes(data.read<std::uint8_t>()));
        break;
      case 'B':
        break;
      default: // 'S': the frame of a signal, which has no return address in the usual place
        return false;
      }
    if (data.failed)
      return false;
  } else if (*augmentation != '\0') {
    return false;
  }
  common.program = bytes;
  return !bytes.failed;
}

struct Row {
  FrameRule::Kind cfa = FrameRule::Kind::None;
  std::int64_t offset = 0;
  // Where the caller's frame pointer is, from the CFA; 0: unchanged; kAtFramePointer.
  std::int64_t saved = 0;
  bool is_known = true; // where the caller's frame pointer and the return address are
};

// The expression that GCC writes for functions that align their stack: *(frame pointer + offset).
bool read_indirect(Bytes expression, Row& row) noexcept {
  constexpr std::uint8_t kDereference = 0x06;
  if (expression.read<std::uint8_t>() != kBaseRegister0 + kFramePointer)
    return false;
  row.offset = expression.signed_leb();
  row.cfa = FrameRule::Kind::Indirect;
  return expression.read<std::uint8_t>() == kDereference && !expression.failed &&
         expression.empty();
}

class Program {
public:
  Program(const CommonEntry& common, std::uintptr_t begin, std::uintptr_t wanted) noexcept
      : common_(common), at_(begin), wanted_(wanted) {}

  // Runs the instructions up to the wanted address. False: one is unknown.
  bool run(Bytes bytes) noexcept {
    while (!bytes.empty() && at_ <= wanted_)
      if (!step(bytes))
        return false;
    return !bytes.failed;
  }
  void keep_initial() noexcept { initial_ = row_; }
  const Row& row() const noexcept { return row_; }

private:
  void advance(std::uint64_t delta) noexcept { at_ += delta * common_.code_factor; }

  void set_register(std::uint64_t number, bool saved_at_offset, std::int64_t offset) noexcept {
    if (number == kFramePointer) {
      row_.saved = offset;
      row_.is_known = row_.is_known && saved_at_offset;
    } else if (number == kReturnAddress) {
      row_.is_known = row_.is_known && saved_at_offset && offset == -8;
    }
  }
  void restore(std::uint64_t number) noexcept {
    if (number == kFramePointer)
      row_.saved = initial_.saved;
  }
  void set_cfa_register(std::uint64_t number) noexcept {
    row_.cfa = number == kStackPointer   ? FrameRule::Kind::StackPointer
               : number == kFramePointer ? FrameRule::Kind::FramePointer
                                         : FrameRule::Kind::None;
  }

  bool step(Bytes& bytes) noexcept;

  const CommonEntry& common_;
  std::uintptr_t at_;
  const std::uintptr_t wanted_;
  Row row_, initial_;
  static constexpr unsigned kMostRemembered = 8;
  Row remembered_[kMostRemembered];
  unsigned remembered_count_ = 0;
};

// DW_CFA_*: three instructions have an operand in their lower six bits.
bool Program::step(Bytes& bytes) noexcept {
  const auto instruction = bytes.read<std::uint8_t>();
  const std::uint64_t operand = instruction & 0x3f;
  switch (instruction >> 6) {
  case 1: // advance_loc
    advance(operand);
    return true;
  case 2: // offset
    set_register(operand, true,
                 static_cast<std::int64_t>(bytes.unsigned_leb()) * common_.data_factor);
    return true;
  case 3: // restore
    restore(operand);
    return true;
  default:
    break;
  }
  std::uint64_t number;
  switch (instruction) {
  case 0x00: // nop
    return true;
  case 0x02: // advance_loc1
    advance(bytes.read<std::uint8_t>());
    return true;
  case 0x03: // advance_loc2
    advance(bytes.read<std::uint16_t>());
    return true;
  case 0x04: // advance_loc4
    advance(bytes.read<std::uint32_t>());
    return true;
  case 0x05: // offset_extended
    number = bytes.unsigned_leb();
    set_register(number, true,
                 static_cast<std::int64_t>(bytes.unsigned_leb()) * common_.data_factor);
    return true;
  case 0x11: // offset_extended_sf
    number = bytes.unsigned_leb();
    set_register(number, true, bytes.signed_leb() * common_.data_factor);
    return true;
  case 0x06: // restore_extended
    restore(bytes.unsigned_leb());
    return true;
  case 0x07: // undefined
    set_register(bytes.unsigned_leb(), false, 0);
    return true;
  case 0x08: // same_value
    number = bytes.unsigned_leb();
    if (number == kFramePointer)
      row_.saved = 0;
    return true;
  case 0x09: // register
  case 0x14: // val_offset
    number = bytes.unsigned_leb();
    bytes.unsigned_leb();
    set_register(number, false, 0);
    return true;
  case 0x0a: // remember_state
    if (remembered_count_ == kMostRemembered)
      return false;
    remembered_[remembered_count_++] = row_;
    return true;
  case 0x0b: // restore_state
    if (remembered_count_ == 0)
      return false;
    row_ = remembered_[--remembered_count_];
    return true;
  case 0x0c: // def_cfa
    set_cfa_register(bytes.unsigned_leb());
    row_.offset = static_cast<std::int64_t>(bytes.unsigned_leb());
    return true;
  case 0x12: // def_cfa_sf
    set_cfa_register(bytes.unsigned_leb());
    row_.offset = bytes.signed_leb() * common_.data_factor;
    return true;
  case 0x0d: // def_cfa_register
    set_cfa_register(bytes.unsigned_leb());
    return true;
  case 0x0e: // def_cfa_offset
    row_.offset = static_cast<std::int64_t>(bytes.unsigned_leb());
    return true;
  case 0x13: // def_cfa_offset_sf
    row_.offset = bytes.signed_leb() * common_.data_factor;
    return true;
  case 0x0f: // def_cfa_expression
    if (!read_indirect(bytes.take(bytes.unsigned_leb()), row_))
      row_.cfa = FrameRule::Kind::None;
    return true;
  case 0x10: { // expression: the word at the result
    number = bytes.unsigned_leb();
    Bytes expression = bytes.take(bytes.unsigned_leb());
    // GCC's, where the stack is aligned: *(frame pointer + 0) is the caller's.
    if (number == kFramePointer &&
        expression.read<std::uint8_t>() == kBaseRegister0 + kFramePointer &&
        expression.signed_leb() == 0 && !expression.failed && expression.empty())
      row_.saved = kAtFramePointer;
    else
      set_register(number, false, 0);
    return true;
  }
  case 0x16: // val_expression
    number = bytes.unsigned_leb();
    bytes.take(bytes.unsigned_leb());
    set_register(number, false, 0);
    return true;
  case 0x2e: // GNU_args_size
    bytes.unsigned_leb();
    return true;
  default:
    return false;
  }
}

} // namespace

FrameRule frame_rule_at(std::uintptr_t return_address) noexcept {
  const std::uintptr_t inside = return_address - 1; // of the call
  tp_eh_bases bases{};
  const void* const found = _Unwind_Find_FDE != nullptr
                                ? _Unwind_Find_FDE(reinterpret_cast<void*>(inside), &bases)
                                : nullptr;
  if (found == nullptr)
    return {};
  const auto* const entry = static_cast<const std::uint8_t*>(found);
  Bytes bytes = content_of(entry);
  const std::uint8_t* const back_from = bytes.at;
  CommonEntry common;
  if (!read_common(back_from - bytes.read<std::uint32_t>(), common))
    return {};
  bytes.take(2 * pointer_bytes(common.encoding)); // addresses: _Unwind_Find_FDE has read them
  if (common.has_size)
    bytes.take(bytes.unsigned_leb());
  Program program(common, reinterpret_cast<std::uintptr_t>(bases.function), inside);
  if (pointer_bytes(common.encoding) == 0 || bytes.failed || !program.run(common.program))
    return {};
  program.keep_initial();
  if (!program.run(bytes))
    return {};
  const Row& row = program.row();
  const std::int64_t saved = row.saved / 8;
  if (!row.is_known || row.saved % 8 != 0 || saved != static_cast<std::int16_t>(saved) ||
      row.offset != static_cast<std::int32_t>(row.offset))
    return {};
  return {row.cfa, static_cast<std::int16_t>(saved), static_cast<std::int32_t>(row.offset)};
}

} // namespace tp::rt

#else

namespace tp::rt {
FrameRule frame_rule_at(std::uintptr_t) noexcept {
  return {};
}
} // namespace tp::rt

#endif

namespace tp::rt {

const FrameRule& FrameRules::learn(std::uintptr_t return_address) noexcept {
  Set& set = sets_[set_of(return_address)];
  for (unsigned i = kWays - 1; i > 0; --i)
    set.entries[i] = set.entries[i - 1];
  set.entries[0] = {return_address, frame_rule_at(return_address)};
  return set.entries[0].rule;
}

} // namespace tp::rt
