# SPDX-License-Identifier: Apache-2.0
# end.json contains the number of chunks of each stream: a copy that lost whole chunks is not
# reported as complete.
. "$(dirname "$0")/common.inc"
build_stock spawner <<'EOF'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <atomic>
#include <thread>
static void loop() {
  tbb::parallel_for(0, 20000, [](int) { tp::spend(1); }, tbb::simple_partitioner());
}
int main() {
  loop();
  std::thread(loop).join();
  // Both threads run: so there is a worker thread as well, which is alive at the end.
  std::atomic<int> there{0};
  tbb::parallel_for(0, 2, [&](int) {
    ++there;
    while (there < 2) std::this_thread::yield();
  }, tbb::simple_partitioner());
}
EOF
ours ./spawner
same "exit status" 0 "$status"
analyze tp-data
is 'p["complete"] and not p["records_lost"] and p["work"] == 40000 and p["trace"]["inconsistencies"] == {}'
listed=$(python3 -c 'import json; print(*json.load(open("tp-data/end.json"))["chunks"])')
same "streams listed" "$(ls tp-data/*.tps | wc -l)" "$(wc -w <<<"$listed")"
cut=0
for stream in tp-data/*.tps; do
  for bytes in 0 32768 98304; do # where chunks begin
    [ "$(stat -c %s "$stream")" -gt $bytes ] || continue
    rm -rf copy
    cp -r tp-data copy
    truncate -s $bytes "copy/${stream##*/}"
    analyze copy
    is "not p['complete'] and p['records_lost'] and '${stream##*/} (byte $bytes' in p['incomplete_reasons'][0]"
    cut=$((cut + 1))
  done
done
[ $cut -ge 5 ] || fail "only $cut places to cut at: $(ls -l tp-data)"
finish
