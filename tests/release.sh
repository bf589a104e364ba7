#!/usr/bin/env bash
# Makes a release: the version in Cargo.toml and its locks, its chapter in CHANGELOG.md, the packages,
# their checksums and, with a key, signatures. All is made from the last commit, beside this tree, and
# goes to target/packages.
#
# Usage: tests/release.sh VERSION [--go] [--sign KEY] [ARCHITECTURE..]
#
# VERSION is such as 1.2.0 or 1.2.0-rc.1. Without --go this is a rehearsal: packages are built, and
# the tree, its commits and tags stay as they are. With --go tests/all.sh is run first, and at the
# end the release is committed and tagged; nothing is sent anywhere. KEY is one of gpg's. The
# ARCHITECTUREs are those of tests/package.sh.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

give_up() {
    printf 'tests/release.sh: %s\n' "$*" >&2
    exit 1
}

version='' go='' key='' architectures=()
while [ $# -gt 0 ]; do
    case $1 in
    --go) go=yes ;;
    --sign) shift; key=${1:?--sign needs a KEY} ;;
    -*) give_up "$1 is no option; there are --go and --sign KEY" ;;
    *) if [ -z "$version" ]; then version=$1; else architectures+=("$1"); fi ;;
    esac
    shift
done
readonly version go key

# check: refuses what cannot be released.
check() {
    [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$ ]] ||
        give_up "${version:-no version} is no version; name one such as 1.2.0"
    [ -z "$(git status --porcelain)" ] || give_up "the tree is dirty; commit or take away what git status shows"
    git symbolic-ref -q HEAD >/dev/null || give_up "no branch is checked out"
    ! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || give_up "v$version is released already"
    local now
    now=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
    # Before a version come its candidates: sort -V has ~ for that.
    [ "$(printf '%s\n' "${now/-/\~}" "${version/-/\~}" | sort -V | tail -n 1)" = "${version/-/\~}" ] ||
        give_up "$version is older than $now, which Cargo.toml has"
    [ -z "$key" ] || gpg --list-secret-keys "$key" >/dev/null 2>&1 || give_up "gpg has no secret key $key"
    news | grep -q . || give_up "CHANGELOG.md has nothing below \"## Unreleased\""
}

# news: what CHANGELOG.md says is new.
news() {
    awk '/^## /{is_new = ($0 == "## Unreleased"); next} is_new && (NF || seen) {seen = 1; print}' CHANGELOG.md
}

# name_version: writes the version wherever it stands, in the current folder.
name_version() {
    local now
    now=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
    sed -i "0,/^version = .*/s//version = \"$version\"/" Cargo.toml
    sed -i "/^name = \"rokade\"\$/{n;s/.*/version = \"$version\"/}" Cargo.lock
    # Packages have ~ where versions have a hyphen.
    sed -i "s/rokade_${now/-/\~}-1_/rokade_${version/-/\~}-1_/" README.md
    sed -i "s/^## Unreleased\$/## Unreleased\n\n## $version ($(date -u +%F))/" CHANGELOG.md
}

check
[ -z "$go" ] || tests/all.sh
beside=$(mktemp -d)
trap 'git worktree remove --force "$beside/rokade" 2>/dev/null || true; rm -rf "$beside"' EXIT
home=$PWD
news >"$beside/NOTES.md"
git worktree add --quiet --detach "$beside/rokade" HEAD
mkdir -p target
ln -s "$home/target" "$beside/rokade/target"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
cd "$beside/rokade"
name_version
git commit --quiet --all --message "release: $version"
tests/package.sh "${architectures[@]}"
cp "$beside/NOTES.md" target/packages/
(cd target/packages && sha256sum --quiet --check SHA256SUMS)
if [ -n "$key" ]; then
    gpg --batch --yes --local-user "$key" --armor --detach-sign target/packages/SHA256SUMS
fi
git --no-pager show --stat --format='%s' HEAD
release=$(git rev-parse HEAD)
cd "$home"
cat target/packages/SHA256SUMS
if [ -z "$go" ]; then
    printf 'A rehearsal: nothing is committed. The release is `tests/release.sh %s --go`.\n' "$version"
    exit
fi
git merge --quiet --ff-only "$release"
if [ -n "$key" ]; then
    git tag --local-user "$key" --message "Rokade $version" "v$version"
else
    git tag --annotate --message "Rokade $version" "v$version"
fi
printf 'v%s is committed and tagged. Next: `git push --follow-tags`, and put what is in target/packages beside it.\n' \
    "$version"
