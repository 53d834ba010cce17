// Exit statuses of tp-run itself, as env, nice and timeout have them; all others are the program's.
#ifndef TP_LAUNCHER_EXIT_STATUS_H
#define TP_LAUNCHER_EXIT_STATUS_H

namespace tp::launcher {

constexpr int kExitOwnFailure = 125;
constexpr int kExitNotExecutable = 126;
constexpr int kExitNotFound = 127;

} // namespace tp::launcher

#endif
