// Two readings: when cpus were idle, then the path.
#include "profile/elapsed_time.h"

#include "passes/idle_time.h"
#include "passes/run_path.h"
#include "profile/prediction.h"

#include <algorithm>

namespace tp::analysis {

void explain_elapsed(Profile& profile, const Readings& readings, const ProfileOptions& options) {
  ElapsedTime& elapsed = profile.elapsed;
  elapsed.not_made = reason_not_to_simulate(profile, options);
  if (!elapsed.not_made.empty())
    return;
  elapsed.workers = std::min<std::uint64_t>(profile.run.cpus, profile.balance.threads);
  const IdleTime idle = readings.idle_time(elapsed.workers, profile.read);
  RunPath path(idle);
  readings.read(path);
  const auto rows = path.rows();
  for (SiteRow& site : profile.sites) {
    if (site.row >= rows.size())
      continue;
    site.on_run_path = rows[site.row];
    elapsed.path.add(rows[site.row]);
  }
}

} // namespace tp::analysis
