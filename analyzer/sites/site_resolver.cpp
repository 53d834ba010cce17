// SPDX-License-Identifier: Apache-2.0
// Which of the calls on a stack is the user's, and how the site is named.
#include "sites/site_resolver.h"

#include "sites/array_elements.h"
#include "sites/cxx_names.h"
#include "sites/debug_info.h"
#include "sites/demangle.h"
#include "sites/member_places.h"
#include "sites/symbol_index.h"
#include "sites/tail_calls.h"
#include "sites/task_type.h"
#include "sites/unseen_locks.h"

#include "tp/trace/library_code.h"
#include "tp/trace/trace_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace tp::analysis {
namespace {

// For names that the demangler refuses (some of lambdas, and clones of functions): looks at the
// mangled name after the letters that mark it as nested or local.
bool is_mangled_library_name(std::string_view name) {
  if (!name.starts_with("_Z"))
    return false;
  name.remove_prefix(std::min(name.find_first_not_of("ZNKL", 2), name.size()));
  if (name.size() > 1 && name[0] == 'S' && std::islower(static_cast<unsigned char>(name[1])))
    return true; // std
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"3tbb", "6oneapi", "2tp", "6__pstl", "9__gnu_cxx"},
      [name](std::string_view prefix) { return name.starts_with(prefix); });
}

// Without arguments of templates, and namespaces of versions: "std::map", "Image*".
std::string name_of_message(std::string_view type) {
  std::string name;
  for (const NameScope& scope : scopes_of(type))
    if (!scope.name.starts_with("__"))
      name += (name.empty() ? "" : "::") + std::string(scope.name);
  return name + (type.ends_with('*') ? "*" : "");
}

} // namespace

LibraryLock lock_of_library(const std::string& function) {
  const std::vector<NameScope> scopes = scopes_of(function);
  if (scopes.size() < 2 || (scopes.front().name != "tbb" && scopes.front().name != "oneapi"))
    return {};
  const NameScope& member = scopes.back();
  const NameScope& of = scopes[scopes.size() - 2];
  const auto is_any = [](std::string_view name, std::initializer_list<std::string_view> those) {
    return std::ranges::find(those, name) != those.end();
  };
  const auto contains = [&](std::string_view part) {
    return of.name.find(part) != std::string_view::npos;
  };
  // Of the library's queues a program acquires only the one in a graph without a call of its own.
  if (contains("concurrent_priority_queue") ||
      (contains("aggregator") && function.find("cpq_operation") != std::string::npos))
    return function.find("graph_task") == std::string::npos
               ? LibraryLock()
               : LibraryLock{.what = "a flow graph's tasks that have a priority",
                             .is_of_nodes = true};
  // The class of a node, or of a base of it, and the operation.
  if (contains("aggregator")) {
    const std::vector<NameScope> operation =
        of.arguments.empty() ? std::vector<NameScope>() : scopes_of(of.arguments.back());
    return operation.size() < 2
               ? LibraryLock()
               : LibraryLock{.what =
                                 fmt::format("oneTBB's {}", operation[operation.size() - 2].name),
                             .is_of_nodes = true};
  }
  if (contains("lock") || contains("mutex") || is_any(of.name, {"tbb", "detail", "d1", "d2"}))
    return {};
  if (is_any(of.name, {"successor_cache", "broadcast_cache", "round_robin_cache"}) &&
      !of.arguments.empty())
    return {.what = "the successors of a flow graph's nodes that send " +
                    name_of_message(of.arguments.front()),
            .is_of_nodes = true,
            .holds_copies = is_any(member.name, {"try_put_task", "gather_successful_try_puts"})};
  return {.what = fmt::format("oneTBB's {}", of.name),
          .is_of_nodes = contains("node") || contains("cache") || contains("graph")};
}

bool is_library_frame(const std::string& function, const std::string& file) {
  if (is_mangled_library_name(function))
    return true;
  const trace::CodeOwner owner = trace::owner_of_code(function, file);
  return owner == trace::CodeOwner::TaskLibrary || owner == trace::CodeOwner::StandardLibrary;
}

struct SiteResolver::Impl {
  // A call on the stack: either the user's, with or without a known place; or inside a library, and
  // then the next outer call has to be examined.
  struct Call {
    bool library = false;
    ResolvedSite site; // file empty: nothing is known
    bool is_of_construct = false;
  };

  // What has been read of a module.
  struct Contents {
    explicit Contents(Dwfl_Module* module) : debug_info(module) {}
    DebugInfo debug_info;
    std::optional<SymbolIndex> symbols; // where debug information says too little
  };

  Impl(const std::vector<Module>& given, const DebugFiles& where)
      : all(given), files(all, where), classes([this] { return debug_information(); }),
        tail_calls(
            modules_of_user(), [this](std::uint32_t id) { return debug_info_of(id); },
            [this](std::uint32_t id) { return symbols_of(id); }) {
    for (const Module& module : all)
      modules.emplace(module.id, module);
  }

  std::vector<std::uint32_t> modules_of_user() const {
    std::vector<std::uint32_t> ids;
    for (const Module& module : all)
      if (!files.is_of_system(module.id))
        ids.push_back(module.id);
    return ids;
  }

  TailCalls::Module debug_info_of(std::uint32_t id) {
    const ModuleFiles::Opened opened =
        files.is_of_system(id) ? ModuleFiles::Opened{} : files.open(id);
    if (!opened.module)
      return {};
    return {&contents.try_emplace(id, opened.module).first->second.debug_info, opened.base};
  }

  // Of all modules of the user that have any.
  std::vector<Dwarf*> debug_information() {
    std::vector<Dwarf*> result;
    for (const std::uint32_t id : modules_of_user())
      if (const ModuleFiles::Opened opened = files.open(id); opened.module) {
        Dwarf_Addr bias = 0;
        if (Dwarf* const dwarf = dwfl_module_getdwarf(opened.module, &bias))
          result.push_back(dwarf);
      }
    return result;
  }

  SymbolIndex* symbols_of(std::uint32_t id) {
    const ModuleFiles::Opened opened =
        files.is_of_system(id) ? ModuleFiles::Opened{} : files.open(id);
    if (!opened.module)
      return nullptr;
    Contents& module = contents.try_emplace(id, opened.module).first->second;
    if (!module.symbols)
      module.symbols.emplace(opened.module);
    return &*module.symbols;
  }

  struct StackCall {
    CodeAddress address;
    bool is_jump = false; // it was not on the stack
  };

  std::vector<StackCall> whole_stack(const StaticSite& site) {
    std::vector<StackCall> result;
    const CodeAddress* inner = nullptr;
    for (const CodeAddress& address : site.stack) {
      if (!files.is_of_system(address.module))
        for (const CodeAddress& jump : tail_calls.between(address, inner))
          result.push_back({jump, true});
      result.push_back({address});
      const bool is_code = site.begins_with_code && &address == &site.stack.front();
      inner = is_code || files.is_onetbb(address.module) ? nullptr : &address;
    }
    return result;
  }

  const std::vector<Module> all;
  ModuleFiles files;
  std::map<std::uint32_t, Module> modules;
  std::map<std::uint32_t, Contents> contents;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Call> calls; // stacks have frames in common
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<UserCall>> user_calls;
  DescribedClasses classes;
  TailCalls tail_calls;
  std::optional<UnseenLocks> unseen_locks;

  // The code at an address, also of a module that was loaded several times.
  std::string identity_of(const CodeAddress& address) const {
    const auto module = modules.find(address.module);
    const std::string file = module == modules.end()
                                 ? fmt::format("module{}", address.module)
                                 : module->second.path + " " + module->second.build_id;
    return fmt::format("{}+{:#x}", file, address.offset);
  }

  std::string in_module(const CodeAddress& address) const {
    return fmt::format("{}+{:#x}", files.name(address.module), address.offset);
  }

  // A function that is known by its symbol may contain the one that made the call, inlined: the type
  // of the task shows what that is, a function whose lambda runs there. Of main any code that runs
  // says more.
  ResolvedSite with_inlined_code(ResolvedSite site, const CodeAddress& address,
                                 const TaskType& task) {
    if (site.found_by != "symbol" || task.body.empty() || task.code.empty())
      return site;
    const bool is_class = task.body == task.code;
    const std::string inlined = plain_name(task.body);
    const auto has_virtual = [&](std::string_view name) {
      SymbolIndex* const symbols = symbols_of(address.module);
      return symbols && symbols->has_virtual_functions(name);
    };
    if (is_class ? site.function != "main"
                 : site.function.find(inlined) != std::string::npos ||
                       code_parameter(task.body, has_virtual) != CodeParameter::None)
      return site;
    site.what = task.code;
    site.place = fmt::format("@{:#x}", address.offset);
    return site;
  }

  // The calls of the user's code at an address, innermost first; by its symbol, if nothing else is
  // known.
  const std::vector<UserCall>& user_calls_at(const CodeAddress& address) {
    const auto [entry, is_new] = user_calls.try_emplace({address.module, address.offset});
    std::vector<UserCall>& result = entry->second;
    if (!is_new || files.is_of_system(address.module) || address.offset == 0)
      return result;
    const ModuleFiles::Opened opened = files.open(address.module);
    if (!opened.module)
      return result;
    const InlineChain chain =
        contents.try_emplace(address.module, opened.module)
            .first->second.debug_info.chain_at(opened.base + address.offset - 1);
    for (const SourceFrame& frame : chain.frames) {
      if (frame.line == 0 || frame.file.empty() || is_library_frame(frame.function, frame.file))
        continue;
      ResolvedSite place{.file = frame.file,
                         .line = frame.line,
                         .function = frame.function,
                         .found_by = "debug_info",
                         .directory = chain.directory};
      if (is_library_frame("", frame.file))
        if (const Call& call = look_at(address); call.site.found_by == "symbol")
          place = call.site;
      UserCall call{std::move(place), plain_name(frame.in_function)};
      call.is_of_construct =
          frame.is_of_construct; // whose parameters are variables of the function around it
      if (!call.is_of_construct) {
        call.code = code_parameter(frame.description, classes);
        call.declared_at = frame.declared_at;
      }
      result.push_back(std::move(call));
    }
    if (chain.frames.empty())
      if (const Call& call = look_at(address); !call.library && !call.site.file.empty()) {
        const auto has_virtual = [&](std::string_view name) {
          return contents.at(address.module).symbols->has_virtual_functions(name);
        };
        UserCall by_symbol{call.site, plain_name(call.site.function)};
        by_symbol.is_of_construct = call.is_of_construct;
        if (!call.is_of_construct)
          by_symbol.code = code_parameter(call.site.function, has_virtual);
        result.push_back(std::move(by_symbol));
      }
    return result;
  }

  const Call& look_at(const CodeAddress& address) {
    const auto [entry, is_new] = calls.try_emplace({address.module, address.offset});
    if (is_new)
      entry->second = examine(address);
    return entry->second;
  }

  Call examine(const CodeAddress& address) {
    if (files.is_of_system(address.module))
      return {true, {}};
    const ModuleFiles::Opened opened = files.open(address.module);
    if (!opened.module || address.offset == 0)
      return {};
    Contents& module = contents.try_emplace(address.module, opened.module).first->second;
    // A return address is after its call.
    const std::uint64_t call = opened.base + address.offset - 1;
    const InlineChain chain = module.debug_info.chain_at(call);
    bool described = false;
    for (const SourceFrame& frame : chain.frames) {
      if (frame.line == 0 || frame.file.empty())
        continue;
      described = true;
      // If a function of the user's has a line of a library, the description of an inlined call is
      // missing, and the user's line is unknown.
      if (!is_library_frame(frame.function, frame.file) && !is_library_frame("", frame.file))
        return {false,
                {.file = frame.file,
                 .line = frame.line,
                 .function = frame.function,
                 .found_by = "debug_info",
                 .directory = chain.directory}};
    }
    // The same: the function is the user's, all its lines are a library's.
    if (described && is_library_frame(chain.frames.back().function, chain.declared_in))
      return {true, {}};
    if (!module.symbols)
      module.symbols.emplace(opened.module);
    const auto symbol = module.symbols->find(call);
    if (!symbol)
      return {};
    const std::string function = demangle_symbol(symbol->name);
    const bool is_of_construct = is_code_of_construct(symbol->name);
    // g++ makes jumps of functions that are equal to another one, and describes only that.
    if (is_of_construct && chain.frames.empty() && chain.place.line > 0 &&
        !chain.place.file.empty() && !is_library_frame(function, chain.place.file))
      return {false,
              {.file = chain.place.file,
               .line = chain.place.line,
               .function = function,
               .found_by = "debug_info",
               .directory = chain.directory},
              true};
    const std::string place = fmt::format("+{:#x}", symbol->offset + 1);
    return {is_library_frame(function, ""),
            {.file = qualified_name(function) + place,
             .function = function,
             .found_by = "symbol",
             .identity = identity_of(address),
             .what = function,
             .place = place,
             .in_module = in_module(address)},
            is_of_construct};
  }
};

// Those of DebugFiles::keep have one for each list of modules, and end with the process.
SiteResolver::SiteResolver(const std::vector<Module>& modules, const DebugFiles& where) {
  static std::map<std::string, std::shared_ptr<Impl>> kept;
  if (!where.keep) {
    impl_ = std::make_shared<Impl>(modules, where);
    return;
  }
  std::string key;
  for (const Module& module : modules)
    key += fmt::format("{} {} {}\n", module.id, module.build_id, module.path);
  std::shared_ptr<Impl>& known = kept[key];
  if (!known)
    known = std::make_shared<Impl>(modules, where);
  impl_ = known;
}

SiteResolver::~SiteResolver() = default;

std::vector<UserCall> SiteResolver::user_calls(const StaticSite& site) {
  const TaskType task = look_at_task_type(demangle_type(site.type));
  const bool is_class = !task.code.empty() && task.body == task.code;
  std::vector<UserCall> result;
  unsigned calls = 0;
  bool is_hidden = false; // functions without a symbol have been passed over since the last call
  for (const auto& [address, is_jump] : impl_->whole_stack(site)) {
    if (impl_->files.is_onetbb(address.module)) {
      if (!result.empty())
        result.back().is_called_back = true;
      continue;
    }
    // Sites of different callers differ by these calls; others are those of one of the callers.
    if (!is_jump && ++calls > site.path_calls)
      break;
    const std::vector<UserCall>& here = impl_->user_calls_at(address);
    if (here.empty())
      is_hidden |= !impl_->look_at(address).library;
    for (const UserCall& call : here) {
      const bool is_first = result.empty(), is_indirect = std::exchange(is_hidden, false);
      const std::size_t before = result.size();
      add_callers(result, {call});
      if (result.size() == before) // the code of a construct, and the function around it
        continue;
      result.back().is_indirect = is_indirect;
      if (call.place.found_by != "symbol")
        continue;
      // The body of the task; or an object that code without names, with a body of its own, runs.
      CodeParameter& code = result.back().code;
      if (has_parameter(call.place.function, task.code) ||
          (is_first && is_indirect && is_class && code == CodeParameter::Object))
        code = CodeParameter::Code;
    }
  }
  return result;
}

std::uint32_t SiteResolver::line_of_member(const StaticSite& site) {
  if (!is_constructor(site.function))
    return 0;
  const auto name_of = [](const std::string& file) {
    return std::string_view(file).substr(file.rfind('/') + 1);
  };
  LambdaPlace given; // to what constructs the member
  for (const auto& [address, is_jump] : impl_->whole_stack(site)) {
    const ModuleFiles::Opened opened = impl_->files.is_of_system(address.module)
                                           ? ModuleFiles::Opened{}
                                           : impl_->files.open(address.module);
    if (!opened.module || impl_->files.is_onetbb(address.module))
      continue;
    Impl::Contents& contents =
        impl_->contents.try_emplace(address.module, opened.module).first->second;
    for (const SourceFrame& frame :
         contents.debug_info.chain_at(opened.base + address.offset - 1).frames) {
      if (is_library_frame(frame.function, frame.file)) {
        if (has_lambda_of_member(frame.function, site.function))
          if (LambdaPlace found = lambda_given_to(frame.description); found.line != 0)
            given = std::move(found);
        continue;
      }
      if (!is_constructor(frame.function) || name_of(frame.file) != name_of(site.file))
        return 0;
      // Members in the list of a constructor have places of their own.
      if (frame.line != site.line)
        return frame.declared_at == 0 || frame.declared_at == site.line ? frame.line : 0;
      return name_of(given.file) == name_of(site.file) && given.line != site.line ? given.line : 0;
    }
  }
  return 0;
}

std::string SiteResolver::start_function(const StaticSite& site) {
  if (const std::string type = demangle_type(site.type); !type.empty())
    if (const std::string name = look_at_thread_type(type); !name.empty())
      return plain_name(name);
  if (site.starts.empty() || !site.type.empty())
    return {};
  const auto& [module, offset] = site.starts.front();
  const ModuleFiles::Opened opened = impl_->files.open(module);
  if (!opened.module || offset == 0)
    return {};
  Impl::Contents& contents = impl_->contents.try_emplace(module, opened.module).first->second;
  if (!contents.symbols)
    contents.symbols.emplace(opened.module);
  const auto symbol = contents.symbols->find(opened.base + offset - 1);
  return symbol ? plain_name(demangle_symbol(symbol->name)) : std::string();
}

UnseenLocks SiteResolver::unseen_locks() {
  if (!impl_->unseen_locks)
    impl_->unseen_locks = find_unseen_locks(impl_->all, impl_->files);
  return *impl_->unseen_locks;
}

LibraryLock SiteResolver::library_lock(const StaticSite& place) {
  if (!place.file.empty())
    return {};
  for (const auto& [address, is_jump] : impl_->whole_stack(place))
    if (!impl_->look_at(address).library)
      return {};
  for (const CodeAddress& address : place.stack) {
    if (impl_->files.is_of_system(address.module))
      continue;
    const ModuleFiles::Opened opened = impl_->files.open(address.module);
    if (!opened.module)
      continue;
    Impl::Contents& contents =
        impl_->contents.try_emplace(address.module, opened.module).first->second;
    for (const SourceFrame& frame :
         contents.debug_info.chain_at(opened.base + address.offset - 1).frames)
      if (LibraryLock found = lock_of_library(frame.function); found.is_known())
        return found;
    if (LibraryLock found = lock_of_library(impl_->look_at(address).site.function);
        found.is_known())
      return found;
  }
  return {};
}

std::string SiteResolver::variable(const CodeAddress& address) {
  const ModuleFiles::Opened opened = impl_->files.open(address.module);
  if (!opened.module)
    return {};
  GElf_Off offset = 0;
  GElf_Sym symbol{};
  const char* const name = dwfl_module_addrinfo(opened.module, opened.base + address.offset,
                                                &offset, &symbol, nullptr, nullptr, nullptr);
  if (!name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || offset >= symbol.st_size)
    return {};
  return variable_name(demangle_symbol(name));
}

std::vector<bool> SiteResolver::are_in_arrays(const std::vector<CodeAddress>& addresses) {
  std::map<std::uint32_t, std::vector<Dwarf_Addr>> of_modules;
  const auto in_module = [&](const CodeAddress& address) {
    return impl_->files.open(address.module).base + address.offset;
  };
  for (const CodeAddress& address : addresses)
    if (!impl_->files.is_of_system(address.module) && impl_->files.open(address.module).module)
      of_modules[address.module].push_back(in_module(address));
  for (auto& [module, wanted] : of_modules) {
    wanted = those_in_arrays(impl_->files.open(module).module, std::move(wanted));
    std::ranges::sort(wanted);
  }
  std::vector<bool> result;
  for (const CodeAddress& address : addresses) {
    const auto found = of_modules.find(address.module);
    result.push_back(found != of_modules.end() &&
                     std::ranges::binary_search(found->second, in_module(address)));
  }
  return result;
}

ResolvedSite SiteResolver::resolve(const StaticSite& site) {
  const CodeAddress* users = nullptr; // the innermost call that is not a library's
  const std::vector<Impl::StackCall> stack = impl_->whole_stack(site);
  for (const auto& [address, is_jump] : stack) {
    const Impl::Call& call = impl_->look_at(address);
    if (call.library)
      continue;
    if (!call.site.file.empty())
      return impl_->with_inlined_code(call.site, address,
                                      look_at_task_type(demangle_type(site.type)));
    users = &address;
    break;
  }
  const std::string type = demangle_type(site.type);
  if (site.stack.empty())
    return {.file = type.empty() ? fmt::format("site{}", site.id) : type,
            .found_by = "module",
            .identity = site.type};
  const CodeAddress& address = users ? *users : site.stack.front();
  const std::string in_module = impl_->in_module(address);
  const auto [body, code, construct] = look_at_task_type(type);
  if (!body.empty())
    return {.file = qualified_name(code) + "@" + in_module,
            .function = body,
            .found_by = "type",
            .identity = code + "@" + impl_->identity_of(address),
            .what = code,
            .place = fmt::format("@{:#x}", address.offset),
            .in_module = in_module};
  return {.file = in_module,
          .found_by = "module",
          .identity = impl_->identity_of(address),
          .name = construct.empty() ? in_module : construct + "@" + in_module,
          .in_module = in_module,
          .of_library = !users};
}

} // namespace tp::analysis
