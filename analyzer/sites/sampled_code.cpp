// SPDX-License-Identifier: Apache-2.0
// See sampled_code.h.
#include "sites/sampled_code.h"

#include "sites/cxx_names.h"
#include "sites/debug_info.h"
#include "sites/demangle.h"
#include "sites/module_code.h"
#include "sites/stack_unwinder.h"
#include "sites/symbol_index.h"
#include "sites/waiting_loops.h"

#include "tp/trace/library_code.h"

#include <fmt/format.h>

#include <dwarf.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>

namespace tp::analysis {
namespace {

// One call, perhaps inlined.
struct Frame {
  FunctionId function{};
  LineId line{};
};

// The code that the C library and our preloaded library run around a thread's function or main().
bool is_of_start(const std::string& module) {
  return module.starts_with("libc.so") || module.starts_with("libpthread.so") ||
         module.starts_with("ld-linux") || module.starts_with("libtaskpath-preload");
}

// Runtimes of OpenMP, and what reports their events to us.
bool is_of_openmp(const std::string& module) {
  return module.starts_with("libomp.so") || module.starts_with("libgomp.so") ||
         module.starts_with("libiomp5.so") || module.starts_with("libtaskpath-ompt");
}

// Libraries whose waiting is announced, or is not the program's.
bool waits_by_itself(const std::string& module) {
  return module.starts_with("libtbb") || is_of_start(module) || is_of_openmp(module) ||
         module.starts_with("linux-vdso.so");
}

bool is_of_library(const std::string& name, const std::string& file, const std::string& module) {
  return trace::owner_of_code(name, file) == trace::CodeOwner::StandardLibrary ||
         is_of_start(module) || is_of_openmp(module) || module.starts_with("libtbbmalloc") ||
         module.starts_with("libm.so") || module.starts_with("libstdc++.so") ||
         module.starts_with("libgcc_s.so") || module.starts_with("linux-vdso.so");
}

bool is_of_profiler(const std::string& name) {
  return name.starts_with("tp_") || name.starts_with("tp::rt::") ||
         name.starts_with("tp::preload::") || name.find(" tp::rt::") != name.npos;
}

// The class that declares a function; the function itself if there is none.
Dwarf_Die class_of(Dwarf_Die function) {
  Dwarf_Die found = declaration_of(function);
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&found, &scopes);
  if (count > 1 && (dwarf_tag(&scopes[1]) == DW_TAG_structure_type ||
                    dwarf_tag(&scopes[1]) == DW_TAG_class_type))
    found = scopes[1];
  std::free(scopes);
  return found;
}

// clang's names for the code of an OpenMP task, and for what the runtime calls.
constexpr std::string_view kCodeOfTask = ".omp_outlined.", kEntryOfTask = ".omp_task_entry.";

// Whether that is the code of a lambda, which has no name; debug information may give its class one in
// angle brackets.
bool is_lambda(Dwarf_Die description) {
  Dwarf_Die function = declaration_of(description);
  const char* const name = dwarf_diename(&function);
  if (!name || !std::string_view(name).starts_with("operator()"))
    return false;
  Dwarf_Die of = class_of(description);
  const char* const class_name = dwarf_diename(&of);
  return dwarf_tag(&of) == DW_TAG_subprogram || !class_name || class_name[0] == '<';
}

class Namer {
public:
  Namer(const SampleFile& file, const DebugFiles& where, const PathMap& path_map)
      : file_(file), path_map_(path_map), files_(modules_of(file), where), unwinder_(file, files_),
        code_(files_, unwinder_,
              {[this](std::uint32_t id) { return waits_by_itself(files_.name(id)); },
               [this](std::uint32_t id) { return symbols_of(id); }}),
        waiting_loops_(code_) {}

  SampledCode name() {
    result_.of_stream.resize(streams());
    result_.prior.resize(result_.of_stream.size());
    for (const SampledThread& thread : file_.threads)
      first_threads_.try_emplace(thread.stream, &thread);
    for (std::size_t i = 0; i < file_.samples.size(); ++i) {
      const RawSample& sample = file_.samples[i];
      const TimedStack stack{sample.time, stack_of(unwinder_.unwind(i)), sample.periods};
      (is_prior(sample) ? result_.prior : result_.of_stream)[sample.stream].push_back(stack);
    }
    for (auto* const streams : {&result_.of_stream, &result_.prior})
      for (auto& stream : *streams)
        std::ranges::stable_sort(stream, {}, &TimedStack::time);
    return std::move(result_);
  }

private:
  struct Contents {
    explicit Contents(Dwfl_Module* module) : debug_info(module) {}
    DebugInfo debug_info;
    std::optional<SymbolIndex> symbols;
  };

  // Null: the module is gone.
  SymbolIndex* symbols_of(std::uint32_t id) {
    const ModuleFiles::Opened opened = files_.open(id);
    if (!opened.module)
      return nullptr;
    Contents& contents = contents_.try_emplace(id, opened.module).first->second;
    if (!contents.symbols)
      contents.symbols.emplace(opened.module);
    return &*contents.symbols;
  }

  static std::vector<Module> modules_of(const SampleFile& file) {
    std::vector<Module> modules;
    for (const LoadedModule& module : file.modules)
      modules.push_back({static_cast<std::uint32_t>(modules.size()), module.path, module.build_id});
    return modules;
  }
  std::size_t streams() const {
    std::size_t count = 0;
    for (const RawSample& sample : file_.samples)
      count = std::max<std::size_t>(count, std::size_t{sample.stream} + 1);
    return count;
  }
  // Of what the first thread of a stream did before its first event.
  bool is_prior(const RawSample& sample) const {
    const auto thread = first_threads_.find(sample.stream);
    return thread != first_threads_.end() && thread->second->os_thread == sample.os_thread &&
           sample.time < thread->second->time;
  }

  FunctionId function_of(SampledFunction function) {
    const auto key = std::tuple(function.name, function.file, function.line,
                                function.kind == FunctionKind::Known ? "" : function.module);
    const auto [entry, is_new] = functions_.try_emplace(key, result_.functions.end_id());
    if (is_new)
      result_.functions.push_back(std::move(function));
    return entry->second;
  }
  LineId line_of(SampledLine line) {
    const auto key = std::tuple(line.file, line.line, line.function);
    const auto [entry, is_new] = lines_.try_emplace(key, result_.lines.end_id());
    if (is_new)
      result_.lines.push_back(std::move(line));
    return entry->second;
  }

  SampledFunction of_library(bool profiler) const {
    return profiler ? SampledFunction{.name = "the profiler", .kind = FunctionKind::Profiler}
                    : SampledFunction{.name = "oneTBB", .kind = FunctionKind::TaskLibrary};
  }

  // The calls at an address, innermost first; never empty.
  const std::vector<Frame>& frames_at(const StackCall& call) {
    const auto [entry, is_new] = frames_.try_emplace(call);
    if (is_new)
      entry->second = look_up(call);
    return entry->second;
  }

  std::vector<Frame> one(SampledFunction function) {
    const FunctionId id = function_of(std::move(function));
    return {{id, line_of({.function = id})}};
  }

  std::vector<Frame> look_up(const StackCall& call) {
    if (call.module == StackCall::kNoModule)
      if (const NamedCode* const code = named_code_at(call.address))
        return one({.name = code->name, .module = "compiled at run time"});
    if (call.module == StackCall::kNoModule)
      return one({.name = "code without a file", .module = "", .kind = FunctionKind::Unknown});
    const std::string module = files_.name(call.module);
    const ModuleFiles::Opened opened = files_.open(call.module);
    if (!opened.module)
      return one({.name = module, .module = module, .kind = FunctionKind::Unknown});
    Contents& contents = contents_.try_emplace(call.module, opened.module).first->second;
    const std::uint64_t address = opened.base + call.address;
    const bool is_onetbb = files_.is_onetbb(call.module);
    if (!is_onetbb) {
      std::vector<Frame> frames;
      const InlineChain chain = contents.debug_info.chain_at(address);
      for (const SourceFrame& frame : chain.frames) {
        if (frame.function.empty())
          continue;
        // The code of a task is inlined into what the runtime calls, which has a place.
        const bool is_code_of_task = frame.function.starts_with(kCodeOfTask);
        const FunctionId id =
            function_of(described(is_code_of_task ? chain.frames.back() : frame, module));
        frames.push_back({id, line_of({map_path(frame.file, path_map_), frame.line, id})});
      }
      if (!frames.empty())
        return frames;
    }
    const auto symbol = symbols_of(call.module)->find(address);
    const std::string name = symbol ? demangle_symbol(symbol->name) : std::string();
    if (is_onetbb)
      return one(of_library(is_of_profiler(name)));
    if (symbol)
      return one(trace::owner_of_code(name, "") == trace::CodeOwner::TaskLibrary
                     ? of_library(is_of_profiler(name))
                     : SampledFunction{.name = name,
                                       .module = module,
                                       .of_library = is_of_library(name, "", module)});
    if (const auto range = unwinder_.function_range(call))
      return one({.name = fmt::format("{}+{:#x}", module, range->first),
                  .module = module,
                  .kind = FunctionKind::Stripped});
    return one({.name = module, .module = module, .kind = FunctionKind::Unknown});
  }

  const NamedCode* named_code_at(std::uint64_t address) const {
    const auto behind = std::ranges::upper_bound(file_.named_code, address, {}, &NamedCode::begin);
    return behind == file_.named_code.begin() || std::prev(behind)->end <= address
               ? nullptr
               : &*std::prev(behind);
  }

  SampledFunction described(const SourceFrame& frame, const std::string& module) {
    if (trace::owner_of_code(frame.function, frame.file) == trace::CodeOwner::TaskLibrary)
      return of_library(is_of_profiler(frame.function));
    Dwarf_Die description = frame.description;
    int line = 0;
    if (dwarf_decl_line(&description, &line) != 0)
      description = class_of(description); // of a lambda, whose function has no place
    const char* const file = file_of_declaration(&description);
    dwarf_decl_line(&description, &line);
    std::string where = map_path(file ? file : "", path_map_);
    const std::string place =
        line == 0 ? "" : fmt::format(" at {}:{}", where.substr(where.rfind('/') + 1), line);
    if (frame.function.starts_with(kEntryOfTask) || frame.function.starts_with(kCodeOfTask))
      return {.name = place.empty() ? "task of OpenMP" : "task" + place,
              .file = where,
              .line = static_cast<std::uint32_t>(std::max(line, 0)),
              .module = module};
    return {.name = line == 0 || !is_lambda(frame.description)
                        ? qualified(frame.description, frame.function)
                        : "lambda" + place,
            .file = where,
            .line = static_cast<std::uint32_t>(std::max(line, 0)),
            .module = module,
            .of_library = is_of_library(frame.function, frame.file, module)};
  }

  bool is_library(FunctionId id) const {
    const FunctionKind kind = result_.functions[id].kind;
    return kind == FunctionKind::TaskLibrary || kind == FunctionKind::Profiler;
  }

  // The innermost one of the program's own code, if possible one that has lines: what a library does for a line is that
  // line's time, and where the program has no lines, a library's are not the program's.
  LineId line_of(const std::vector<Frame>& frames) {
    const auto is_own = [&](const Frame& frame) {
      return !is_library(frame.function) && !result_.functions[frame.function].of_library;
    };
    const auto with_line = std::ranges::find_if(frames, [&](const Frame& frame) {
      return is_own(frame) && result_.lines[frame.line].line != 0;
    });
    if (with_line != frames.end())
      return with_line->line;
    const auto own = std::ranges::find_if(frames, is_own);
    return own == frames.end() ? line_of({.function = frames.front().function}) : own->line;
  }

  StackId stack_of(const UnwoundStack& unwound) {
    const auto [known, is_new_stack] = of_calls_.try_emplace({unwound.calls, unwound.is_cut});
    if (!is_new_stack)
      return known->second;
    std::vector<Frame> frames;
    bool reached_main = false;
    for (const StackCall& call : unwound.calls) {
      const bool is_start = call.module != StackCall::kNoModule && !frames.empty() &&
                            is_of_start(files_.name(call.module)) && is_outside(unwound, call);
      if (is_start)
        break;
      for (const Frame& frame : frames_at(call)) {
        frames.push_back(frame);
        reached_main |= result_.functions[frame.function].name == "main";
      }
      if (reached_main)
        break;
    }
    const LineId line = line_of(frames);
    SampledStack stack{.line = line, .is_cut = unwound.is_cut && !reached_main};
    if (const auto loop = waiting_loops_.find(unwound.calls))
      stack.waits_in = line_of(frames_at(*loop));
    for (const Frame& frame : frames)
      if (stack.functions.empty() || !is_library(frame.function))
        stack.functions.push_back(frame.function);
    const auto [path, is_new_path] =
        paths_.try_emplace(stack.functions, static_cast<std::uint32_t>(paths_.size()));
    stack.path = path->second;
    const auto [entry, is_new] = stacks_.try_emplace(
        {stack.path, stack.line, stack.is_cut, stack.waits_in}, result_.stacks.end_id());
    if (is_new)
      result_.stacks.push_back(std::move(stack));
    return known->second = entry->second;
  }

  // Whether only such code follows: what starts a thread, not a call of a function of the C library's.
  bool is_outside(const UnwoundStack& unwound, const StackCall& from) const {
    const auto begin = std::ranges::find(unwound.calls, from);
    return std::all_of(begin, unwound.calls.end(), [&](const StackCall& call) {
      return call.module != StackCall::kNoModule && is_of_start(files_.name(call.module));
    });
  }

  const SampleFile& file_;
  const PathMap& path_map_;
  ModuleFiles files_;
  StackUnwinder unwinder_;
  ModuleCode code_;
  WaitingLoops waiting_loops_;
  std::map<std::uint32_t, Contents> contents_;
  std::map<std::uint32_t, const SampledThread*> first_threads_; // of each stream
  std::map<StackCall, std::vector<Frame>> frames_;
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::string>, FunctionId> functions_;
  std::map<std::tuple<std::string, std::uint32_t, FunctionId>, LineId> lines_;
  std::map<std::vector<FunctionId>, std::uint32_t> paths_;
  std::map<std::tuple<std::uint32_t, LineId, bool, std::optional<LineId>>, StackId> stacks_;
  std::map<std::pair<std::vector<StackCall>, bool>, StackId> of_calls_;
  SampledCode result_;
};

} // namespace

SampledCode name_samples(const SampleFile& file, const DebugFiles& where, const PathMap& path_map) {
  return Namer(file, where, path_map).name();
}

} // namespace tp::analysis
