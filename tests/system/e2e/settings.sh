# SPDX-License-Identifier: Apache-2.0
# An invalid TP_* value: one line with the variable, the value and what is allowed; the program
# continues with the default.
. "$(dirname "$0")/common.inc"
any_program | build_stock any
bad() {
  rm -rf tp-data tp-data.old
  ( export "$1=$2"; ours ./any; echo $status >status )
  same "$1=$2: exit status" 0 "$(cat status)"
  same "$1=$2: stdout" "done" "$(cat out)"
  same "$1=$2: lines on stderr" 1 "$(wc -l <err)"
  in_file err "$1"
  in_file err "'$2'"
  in_file err "$3"
}
bad TP_MAX_SIZE lots "512M"
bad TP_MAX_SIZE -1 "512M"
bad TP_MAX_SIZE 99999999999999999999 "512M"
bad TP_DISABLE maybe "0 or 1"
bad TP_PAUSED 2 "0 or 1"
bad TP_VERBOSE loud "0, 1 or 2"
bad TP_AS_IF_CORES 0 "cores"
bad TP_AS_IF_CORES 70000 "cores"
bad TP_EVENT nonsense "virtual"
is_directory tp-data
rm -rf tp-data
TP_DISABLE=1 as_stock ./any
is_empty err
is_missing tp-data
TP_PAUSED=1 as_stock ./any
analyze tp-data
is 'p["work"] == 0'
finish
