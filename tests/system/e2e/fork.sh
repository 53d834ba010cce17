# SPDX-License-Identifier: Apache-2.0
# fork without exec, oneTBB used by parent and child: two correct data directories. `forks` is the
# number of forks that led to a process: 0 in the parent, and after an exec.
. "$(dirname "$0")/common.inc"
build_stock forks <<'EOF'
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
static void work(int tasks) {
  tbb::task_group group;
  for (int i = 0; i < tasks; ++i) group.run([] { tp::spend(10); });
  group.wait();
}
int main(int argc, char** argv) {
  if (argc > 1 && argv[1][0] == 'c') return work(2), 0;  // after exec
  if (argc > 1 && argv[1][0] == 'b') work(3);            // before the fork too; the child must not wait for lost workers
  pid_t child = fork();
  if (child == 0 && argc > 1 && argv[1][0] == 't') {
    child = fork();  // only the grandchild uses oneTBB
    int status = 0;
    if (child != 0) return waitpid(child, &status, 0), WEXITSTATUS(status);
  }
  if (child == 0) {
    if (argc > 1 && argv[1][0] == 'e') execl("/proc/self/exe", "forks", "child", nullptr);
    if (argc > 1 && argv[1][0] == 'b') tp::spend(5);
    else work(2);
    return 7;
  }
  int status = 0;
  waitpid(child, &status, 0);
  work(5);
  std::printf("child %d\n", WEXITSTATUS(status));
}
EOF
for how in plain before exec twice; do
  rm -rf data
  export TP_DATA=data/%p
  as_stock ./forks $how
  same "$how: data directories" 2 "$(find data -mindepth 1 -maxdepth 1 | wc -l)"
  sums='' forks=''
  for directory in data/*; do
    analyze "$directory"
    is 'p["complete"]'
    sums="$sums $(python3 -c 'import json; print(json.load(open("profile.json"))["work"])')"
    forks="$forks $(python3 -c 'import json; print(json.load(open("profile.json"))["trace"]["forks"])')"
  done
  # shellcheck disable=SC2086  # its words
  sums=$(echo $sums | tr ' ' '\n' | sort -n | tr '\n' ' ')
  # shellcheck disable=SC2086  # its words
  forks=$(echo $forks | tr ' ' '\n' | sort -n | tr '\n' ' ')
  case $how in
    plain | exec | twice) same "$how: work of child and parent" "20 50 " "$sums" ;;
    before) same "$how: work of child and parent" "5 80 " "$sums" ;;
  esac
  case $how in
    plain | before) same "$how: forks" "0 1 " "$forks" ;;
    twice) same "$how: forks" "0 2 " "$forks" ;;
    exec) same "$how: forks" "0 0 " "$forks" ;;
  esac
done
# Without a pattern the child does not change its parent's directory.
unset TP_DATA
rm -rf data
as_stock ./forks plain
analyze tp-data
is 'p["complete"] and p["work"] == 50'
same "directories" 2 "$(ls -d tp-data* | wc -l)"
finish
