#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The scripts of tbb-patch on a source package of a few lines, with pins of its own. Substitutes for
# apt-get and apt-cache read a folder as a mirror: the network is not used. Prints one line per
# check; exit status 1 if any check fails.
set -u
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
real=$here/../../../tbb-patch
if ! command -v git >/dev/null || [ ! -x /usr/lib/apt/apt-helper ]; then
  echo "skipped: needs git and apt"
  exit 77
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export HOME=$scratch TP_SOURCE_CACHE=$scratch/cache MIRROR=$scratch/mirror PATH=$scratch/bin:$PATH
unset TP_SOURCE_URLS XDG_CACHE_HOME
failures=0
ok() { echo "ok: $1"; }
not_ok() {
  echo "FAILED: $1"
  sed 's/^/    /' "$scratch/out" 2>/dev/null
  failures=$((failures + 1))
}
# passes WHAT COMMAND...: the command succeeds. refuses WHAT TEXT COMMAND...: it fails and prints
# TEXT.
passes() {
  local what=$1
  shift
  if "$@" >"$scratch/out" 2>&1; then ok "$what"; else not_ok "$what"; fi
}
refuses() {
  local what=$1 text=$2
  shift 2
  if ! "$@" >"$scratch/out" 2>&1 && grep -q -- "$text" "$scratch/out"; then ok "$what"; else not_ok "$what"; fi
}
said() { if grep -q -- "$2" "$scratch/out"; then ok "$1"; else not_ok "$1"; fi; }

# ---- The mirror: pool/main/t/tiny, and an index "SUITE VERSION" ----
pool=$MIRROR/pool/main/t/tiny
mkdir -p "$pool" bin
touch "$MIRROR/index"
# upstream VERSION LINE: makes upstream's archive: one file of twenty lines that contains LINE, and
# one file that no patch changes.
upstream() {
  mkdir -p "up/tiny-$1/src"
  { seq 1 6; echo "$2"; seq 7 20; } >"up/tiny-$1/src/a.c"
  echo "int b;" >"up/tiny-$1/src/b.c"
  printf '* text=auto\n' >"up/tiny-$1/.gitattributes"
  printf 'crlf\r\n' >"up/tiny-$1/src/c.txt"
  tar -C up -cJf "$pool/tiny_$1.orig.tar.xz" "tiny-$1"
}
# revision SUITE VERSION-REVISION FILE OLD NEW: makes Debian's archive, whose one patch changes a
# line of a file.
revision() {
  local tree=up/tiny-${2%-*}
  rm -rf up/new && cp -r "$tree" up/new && sed -i "s/^$4\$/$5/" "up/new/$3"
  rm -rf deb && mkdir -p deb/debian/patches && echo "fix.patch # a comment" >deb/debian/patches/series
  (cd up && diff -u "tiny-${2%-*}/$3" "new/$3" | sed "s|^--- .*|--- a/$3|; s|^+++ .*|+++ b/$3|") >deb/debian/patches/fix.patch
  echo "$2" >deb/debian/changelog
  tar -C deb -cJf "$pool/tiny_$2.debian.tar.xz" debian
  echo "$1 $2" >>"$MIRROR/index"
}
withdraw() { sed -i "/ $1\$/d" "$MIRROR/index" && mkdir -p away && mv "$pool/tiny_$1.debian.tar.xz" away/; }

cat >bin/apt-get <<'END'
#!/bin/bash
# update: records the requested suites, and a pool that is a folder. source: copies the archives
# of a revision in these suites.
for word in "$@"; do
  case $word in
    Dir::Etc::SourceParts=*) parts=${word#*=} ;;
    --tar-only | --diff-only) part=$word ;;
    update | source) command=$word ;;
    *=*-*) wanted=${word#*=} ;;
  esac
done
if [ "$command" = update ]; then
  ls "$parts" | sed 's/\.list$//; s/-[a-z.]*\.sources$//' | sort -u >"$parts/../suites"
  rm -f "$parts"/*.sources "$parts"/*.list
  echo "deb-src file:$MIRROR any main" >"$parts/mirror.list"
  exit 0
fi
grep -qf <(sed "s/.*/^& $wanted\$/" "$parts/../suites") "$MIRROR/index" || exit 100
case $part in
  --tar-only) cp "$MIRROR/pool/main/t/tiny/tiny_${wanted%-*}.orig.tar.xz" . ;;
  --diff-only) cp "$MIRROR/pool/main/t/tiny/tiny_$wanted.debian.tar.xz" . ;;
esac
END
cat >bin/apt-cache <<'END'
#!/bin/bash
for word in "$@"; do case $word in Dir::Etc::SourceParts=*) parts=${word#*=} ;; esac; done
grep -f <(sed 's/.*/^& /' "$parts/../suites") "$MIRROR/index" | while read -r suite version; do
  printf 'Package: tiny\nVersion: %s\nChecksums-Sha256:\n' "$version"
  for file in "tiny_${version%-*}.orig.tar.xz" "tiny_$version.debian.tar.xz"; do
    [ -f "$MIRROR/pool/main/t/tiny/$file" ] || continue
    echo " $(sha256sum <"$MIRROR/pool/main/t/tiny/$file" | cut -d' ' -f1) 1 $file"
  done
  echo
done
END
chmod +x bin/*

# ---- The entries for apt: apt itself must be able to read them ----
# shellcheck disable=SC2016
real_sources() (
  PATH=${PATH#*:}
  # shellcheck source=tbb-patch/source.inc
  . "$real/source.inc"
  work=$scratch/entries
  private_sources bookworm stable testing unstable sid
  private_apt apt-get indextargets --format '$(CODENAME)' >/dev/null
)
passes "apt reads the entries of all suites" real_sources

# ---- A project with one version ----
project=$scratch/project
mkdir -p "$project"
cp -r "$real" "$project/tbb-patch"
rm -rf "$project"/tbb-patch/*/ "$project/tbb-patch/differences"
patches=$project/tbb-patch
upstream 1.0 eleven
revision old 1.0-1 src/a.c eleven 11a
mkdir "$patches/1.0"
pin() { # of the archives as they are
  printf '# a comment\npackage tiny\nversion %s\nsuite   %s\n' "$1" "$2"
  for file in "tiny_$1.debian.tar.xz" "tiny_${1%-*}.orig.tar.xz"; do
    echo "file $(sha256sum <"$pool/$file" | cut -d' ' -f1) $file"
  done
}
pin 1.0-1 old >"$patches/1.0/UPSTREAM"

# ---- edit, refresh, compare ----
repository=$scratch/repository
passes "edit: a version without patches" "$patches/edit" 1.0 "$repository"
commit() { git -C "$repository" -c user.name="$1" -c user.email="$1@example.org" commit -qam "$2"; }
sed -i 's/^7$/7\nhook();/' "$repository/src/a.c" && commit someone "Record seven"
sed -i 's/^18$/18\nanother_hook();/' "$repository/src/a.c" && commit someone "Record eighteen"
passes "refresh" "$patches/refresh" 1.0 "$repository"
passes "refresh: two patches, one file" [ "$(cd "$patches/1.0" && echo ./*.patch)" = "./0001-Record-seven.patch ./0002-Record-eighteen.patch" ]
passes "refresh: the hash of the touched file" grep -q '^patched [0-9a-f]\{64\} src/a.c$' "$patches/1.0/UPSTREAM"
# shellcheck disable=SC2016
passes "refresh: no names and dates" bash -c '! grep -rE "someone|example.org|^Date:" "$1"' bash "$patches/1.0"
cp -r "$patches/1.0" first
rm -rf "$repository"
passes "edit: from the patches" "$patches/edit" 1.0 "$repository"
git -C "$repository" -c user.name=another -c user.email=a@example.org commit -q --amend --reset-author --no-edit
passes "refresh: again" "$patches/refresh" 1.0 "$repository"
passes "refresh: the same commits by somebody else give the same bytes" diff -r first "$patches/1.0"
passes "edit: bytes as in the archive, whatever .gitattributes say" cmp "$repository/src/c.txt" up/tiny-1.0/src/c.txt
echo x >>"$repository/src/b.c"
refuses "refresh: not what is not committed" "not committed" "$patches/refresh" 1.0 "$repository"
git -C "$repository" commit -qam "fixup! Record seven"
refuses "refresh: no fixup" "unfinished" "$patches/refresh" 1.0 "$repository"
git -C "$repository" reset -q --hard HEAD~1

# ---- fetch-source ----
# fetch: fetches into a new folder.
fetch() { rm -rf dest && "$patches/fetch-source" 1.0 dest; }
check_tree() { grep -q '^hook();$' dest/src/src/a.c && grep -q '^another_hook();$' dest/src/src/a.c && grep -q '^11a$' dest/src/src/a.c; }
rm -rf cache
passes "fetch: from the suite" fetch
passes "fetch: Debian's patch and ours are applied" check_tree
passes "fetch: fills the cache" [ "$(ls cache)" = "$(printf 'tiny_1.0-1.debian.tar.xz\ntiny_1.0.orig.tar.xz')" ]
withdraw 1.0-1
mv "$pool/tiny_1.0.orig.tar.xz" away/
passes "fetch: from the cache, when the mirror has nothing" fetch
passes "fetch: the same tree" check_tree
mv cache cache.full
refuses "fetch: nowhere" "source package not available: expected 1.0-1, got none" fetch
fetch >out 2>&1
passes "fetch: nowhere: with a status of its own" [ $? -eq 77 ]
export TP_SOURCE_URLS="file:$scratch/nowhere file:$scratch/away"
passes "fetch: from another address" fetch
rm -rf cache && cp away/tiny_1.0.orig.tar.xz kept && echo damaged >>away/tiny_1.0.orig.tar.xz
refuses "fetch: not a file with another sum" "not available" fetch
mv kept away/tiny_1.0.orig.tar.xz
mkdir cache && cp cache.full/* cache/ && echo damaged >>cache/tiny_1.0.orig.tar.xz
passes "fetch: a damaged cache is passed over" fetch
passes "fetch: and restored" cmp cache/tiny_1.0.orig.tar.xz away/tiny_1.0.orig.tar.xz
unset TP_SOURCE_URLS
rm -rf cache && cp away/* "$pool/"
passes "fetch: from the mirror's pool, which the index no longer names" fetch
rm "$pool/tiny_1.0-1.debian.tar.xz" && rm -rf cache

# Another revision: first with the same text where our patch changes it, then with another text.
revision old 1.0-2 src/b.c 'int b;' 'int bb;'
refuses "fetch: another revision that changes a touched file" "not the file that the patches were made for" fetch
revision testing 1.0-3 src/a.c eleven 11a
passes "fetch: another revision whose touched files are the same" fetch
said "fetch: says so" "1.0-1 is gone: took 1.0-3"
passes "fetch: the same tree" check_tree
sed -i 's/^file [0-9a-f]* tiny_1.0.orig/file 0000 tiny_1.0.orig/' "$patches/1.0/UPSTREAM"
rm -rf cache
refuses "fetch: no other upstream archive" "not available" fetch
cp first/UPSTREAM "$patches/1.0/"
sed -i 's/^\(patched \)./\1x/' "$patches/1.0/UPSTREAM"
refuses "fetch: no other file" "not the file that the patches were made for" fetch
cp first/UPSTREAM "$patches/1.0/"

# ---- move-pin ----
refuses "move-pin: to a revision that changes a touched file" "src/a.c: has changed" "$patches/move-pin" 1.0
cp first/UPSTREAM "$patches/1.0/"
passes "move-pin: to another suite" "$patches/move-pin" 1.0 testing
said "move-pin: says what it did" "tiny 1.0-1 -> 1.0-3 of testing"
passes "move-pin: fetch-source takes it" fetch
passes "move-pin: twice" "$patches/move-pin" 1.0
said "move-pin: says that nothing is newer" "1.0-3 is the newest in testing"
refuses "move-pin: no revision" "has no revision of 1.0" "$patches/move-pin" 1.0 nosuite

# ---- add, compare ----
upstream 2.0 twelve
{ echo 0; cat up/tiny-2.0/src/a.c; } >moved && mv moved up/tiny-2.0/src/a.c
tar -C up -cJf "$pool/tiny_2.0.orig.tar.xz" tiny-2.0
revision sid 2.0-1 src/a.c twelve 11a
sed -i 's/^package=${4:-onetbb}/package=${4:-tiny}/' "$patches/add"
refuses "add: a suite without it" "no revision of 2.0 in testing: got 1.0-3" "$patches/add" 2.0 1.0 testing --in "$repository"
passes "add: a version" "$patches/add" 2.0 1.0 sid --in "$repository"
passes "add: its patches" [ "$(ls "$patches/2.0")" = "$(ls "$patches/1.0")" ]
passes "add: its file" "$patches/fetch-source" 2.0 dest2
passes "add: the hook is where it belongs" [ "$(grep -A1 '^7$' dest2/src/src/a.c)" = "$(printf '7\nhook();')" ]
passes "compare: the same" "$patches/compare" 1.0 2.0
refuses "compare --check: nothing is accepted yet" "^+1.0 -> 2.0" "$patches/compare" --check
passes "compare --update" "$patches/compare" --update
passes "compare --check" "$patches/compare" --check
sed -i 's/^+hook();/+other_hook();/' "$patches/2.0/0001-Record-seven.patch"
refuses "compare: another line" "> +other_hook();" "$patches/compare" 1.0 2.0
refuses "compare --check: another line" "^+    .*> +other_hook();" "$patches/compare" --check
rm "$patches/2.0/0001-Record-seven.patch"
refuses "compare --check: a patch that one version lacks" "< 0001-Record-seven.patch" "$patches/compare" --check
sed -i '/^patched/d' "$patches/2.0/UPSTREAM"
refuses "compare --check: a file without a hash" "src/a.c: touched, but without a hash" "$patches/compare" --check

# ---- A source that another package bundles ----
rm -rf "$patches/2.0"
mkdir -p "up/bundle/lib" && cp -r up/tiny-1.0 up/bundle/lib/tiny
sed -i 's/^eleven$/11a/' up/bundle/lib/tiny/src/a.c
tar -C up -cJf "$pool/tiny_3.0.orig.tar.xz" bundle
echo "sid 3.0-1" >>"$MIRROR/index"
passes "add: a version that another package bundles" "$patches/add" 2.1 1.0 sid tiny lib/tiny --in "$repository"
passes "add: its pin" grep -q '^folder  lib/tiny$' "$patches/2.1/UPSTREAM"
rm -rf dest && passes "fetch: a folder of an archive" "$patches/fetch-source" 2.1 dest
passes "fetch: the same tree" check_tree

echo "$failures checks failed"
[ $failures -eq 0 ]
