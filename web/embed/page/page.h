// SPDX-License-Identifier: Apache-2.0
// PAGE: the HTML file that web/ was bundled into, with places for data (analyzer/export/html.cpp).
// Only where TP_PAGE is defined.
#pragma once

#include <string_view>

extern "C" const char tp_page_begin[], tp_page_end[];

namespace tp::page {

inline std::string_view text() {
  return {tp_page_begin, static_cast<std::size_t>(tp_page_end - tp_page_begin)};
}

} // namespace tp::page
