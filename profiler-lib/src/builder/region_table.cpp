// SPDX-License-Identifier: Apache-2.0
// See region_table.h.
#include "builder/region_table.h"

#include <algorithm>
#include <new>

namespace tp::rt {
namespace {

// Room for at least `needed` elements, at least twice as many as before; new ones are zero. False:
// out of memory, nothing has changed.
template <typename Element>
bool grow(Element*& elements, unsigned& capacity, unsigned needed) noexcept {
  if (needed <= capacity)
    return true;
  const unsigned more = std::max({needed, 2 * capacity, 64u});
  Element* const fresh = new (std::nothrow) Element[more]{};
  if (fresh == nullptr)
    return false;
  std::copy_n(elements, capacity, fresh);
  delete[] elements;
  elements = fresh;
  capacity = more;
  return true;
}

} // namespace

RegionTable::~RegionTable() {
  delete[] many_;
  delete[] index_;
}

bool RegionTable::add_another(std::uint32_t region, std::uint64_t work) noexcept {
  for (unsigned i = 0; i < count_ && i < kFew; ++i)
    if (few_[i].region == region) {
      few_[i].work += work;
      return true;
    }
  if (count_ < kFew) {
    few_[count_++] = {region, work};
    return true;
  }
  return add_to_many(region, work);
}

bool RegionTable::add_to_many(std::uint32_t region, std::uint64_t work) noexcept {
  if (region < index_capacity_ && index_[region] != 0) {
    many_[index_[region] - 1].work += work;
    return true;
  }
  if (!grow(index_, index_capacity_, region + 1) || !grow(many_, many_capacity_, count_ - kFew + 1))
    return false;
  many_[count_ - kFew] = {region, work};
  index_[region] = ++count_ - kFew;
  return true;
}

void RegionTable::trim(std::uint64_t work) noexcept {
  std::uint64_t rest = work;
  for (unsigned i = 0; i < count_; ++i) {
    RegionWork& entry = i < kFew ? few_[i] : many_[i - kFew];
    entry.work = std::min(entry.work, rest);
    rest -= entry.work;
  }
}

void RegionTable::clear_many() noexcept {
  for (unsigned i = kFew; i < count_; ++i)
    index_[many_[i - kFew].region] = 0;
}

} // namespace tp::rt
