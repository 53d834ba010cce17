# SPDX-License-Identifier: Apache-2.0
# Names, rotation, and ownership of data directories.
. "$(dirname "$0")/common.inc"
any_program | build_stock any
ours ./any
is_directory tp-data
is_missing tp-data.old
first=$(grep -o '"session":"[0-9a-f]*"' tp-data/run.json)
ours ./any
same "rotated" "$first" "$(grep -o '"session":"[0-9a-f]*"' tp-data.old/run.json)"
ours ./any
[ "$first" != "$(grep -o '"session":"[0-9a-f]*"' tp-data.old/run.json)" ] || fail "the oldest recording is still there"
# Patterns and parents.
TP_DATA=a/b/%e-%h-%%-%z ours ./any
is_directory "a/b/any-$(hostname)-%-%z"
TP_DATA=with/slash/ ours ./any
is_directory with/slash
# A folder with files of another program is not changed.
mkdir mine && echo precious >mine/run.txt
TP_DATA=mine ours ./any
same "foreign file" precious "$(cat mine/run.txt)"
same "foreign folder" run.txt "$(ls mine)"
same "recorded next to it" 1 "$(ls -d mine.[0-9]* | wc -l)"
analyze mine.[0-9]*
is 'p["work"] == 100'
# Neither is a foreign NAME.old.
mkdir keep.old && echo precious >keep.old/file
TP_DATA=keep ours ./any
TP_DATA=keep ours ./any
same "foreign .old" precious "$(cat keep.old/file)"
# A recording in which the user has put a file keeps that file.
echo note >tp-data.old/note.txt
ours ./any
ours ./any
[ -n "$(find . -name note.txt)" ] || fail "a note in a recording is lost"
# The name is that of a file or a dangling link: nothing is overwritten, the program runs.
echo file >plain
TP_DATA=plain ours ./any
same "exit status" 0 $status
same "file" file "$(cat plain)"
finish
