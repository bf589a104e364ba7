//! `tests/release.sh`, in a repository of its own whose packages are built by a stand-in.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Stands in for the script that builds packages: as that, from what is in the tree.
const PACKAGE: &str = "#!/bin/sh\nset -e\ncd \"$(dirname \"$0\")/..\"\n\
    rm -rf target/packages\nmkdir -p target/packages\n\
    grep ^version Cargo.toml >\"target/packages/rokade_$1.deb\"\n\
    cd target/packages && sha256sum ./*.deb >SHA256SUMS\n";
const CHECK_ALL: &str = "#!/bin/sh\nmkdir -p target && touch target/checked\n";
const CHANGES: &str =
    "# Changes\n\n## Unreleased\n\n### Added\n\n- Something new.\n\n## 0.0.9\n\n- Old.\n";

struct Repository(TempDir);

impl Repository {
    fn new() -> Self {
        let it = Self(tempfile::tempdir().unwrap());
        let lock = "[[package]]\nname = \"other\"\nversion = \"0.1.0\"\n\n[[package]]\n\
                    name = \"rokade\"\nversion = \"0.1.0\"\n";
        for (path, text) in [
            (".gitignore", "/target\n"),
            ("Cargo.toml", "[package]\nname = \"rokade\"\nversion = \"0.1.0\"\n\n[lints]\n"),
            ("Cargo.lock", lock),
            ("README.md", "sudo apt install ./rokade_0.1.0-1_arm64.deb\n"),
            ("CHANGELOG.md", CHANGES),
            ("tests/package.sh", PACKAGE),
            ("tests/all.sh", CHECK_ALL),
        ] {
            it.write(path, text);
        }
        fs::copy(Path::new(ROOT).join("tests/release.sh"), it.path("tests/release.sh")).unwrap();
        for script in ["package", "all", "release"] {
            let path = it.path(&format!("tests/{script}.sh"));
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        it.git(&["init", "--quiet"]);
        it.git(&["config", "user.name", "A"]);
        it.git(&["config", "user.email", "a@example.org"]);
        it.commit();
        it
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git").args(args).current_dir(self.0.path()).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "change"]);
    }

    /// What the script says, and what it complains of if it fails.
    fn release(&self, args: &[&str]) -> Result<String, String> {
        let output = Command::new(self.path("tests/release.sh")).args(args).output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
        if output.status.success() { Ok(out) } else { Err(err) }
    }

    fn refuses(&self, args: &[&str], why: &str) {
        let said = self.release(args).expect_err(why);
        assert!(said.contains(why), "{why:?} is not in: {said}");
    }
}

#[test]
fn what_cannot_be_released_is_refused() {
    let it = Repository::new();
    it.refuses(&[], "no version");
    it.refuses(&["1.2"], "is no version");
    it.refuses(&["0.0.9"], "0.0.9 is older than 0.1.0");
    it.refuses(&["0.1.0-rc.1"], "is older than 0.1.0");
    it.refuses(&["1.0.0", "--fast"], "--fast is no option");
    it.refuses(&["1.0.0", "--sign", "nobody@example.org"], "no secret key");
    it.write("new.txt", "");
    it.refuses(&["1.0.0"], "the tree is dirty");
    it.write("CHANGELOG.md", "# Changes\n\n## Unreleased\n\n## 0.0.9\n\n- Old.\n");
    it.commit();
    it.refuses(&["1.0.0"], "nothing below \"## Unreleased\"");
    assert!(!it.path("target").exists());
}

#[test]
fn a_rehearsal_builds_everything_and_changes_nothing() {
    let it = Repository::new();
    let head = it.git(&["rev-parse", "HEAD"]);
    let said = it.release(&["0.2.0", "arm64"]).unwrap();
    assert!(said.contains("rokade_arm64.deb") && said.contains("A rehearsal"), "{said}");
    assert_eq!(it.read("target/packages/rokade_arm64.deb"), "version = \"0.2.0\"\n");
    assert_eq!(it.read("target/packages/NOTES.md").trim(), "### Added\n\n- Something new.");
    assert_eq!(it.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(it.git(&["status", "--porcelain"]) + &it.git(&["tag"]), "");
    assert_eq!(it.git(&["worktree", "list"]).lines().count(), 1);
    assert!(!it.path("target/checked").exists());
}

#[test]
fn a_release_is_one_commit_and_a_tag() {
    let it = Repository::new();
    it.release(&["0.2.0-rc.1", "--go", "amd64"]).unwrap();
    assert!(it.path("target/checked").exists());
    assert_eq!(it.read("README.md"), "sudo apt install ./rokade_0.2.0~rc.1-1_arm64.deb\n");
    it.write(
        "CHANGELOG.md",
        &it.read("CHANGELOG.md").replacen("eleased\n", "eleased\n\n- More.\n", 1),
    );
    it.commit();
    let said = it.release(&["0.2.0", "--go", "amd64"]).unwrap();
    assert!(said.contains("v0.2.0 is committed and tagged"), "{said}");
    assert_eq!(it.git(&["tag"]), "v0.2.0\nv0.2.0-rc.1\n");
    assert_eq!(it.git(&["log", "-1", "--format=%s", "v0.2.0"]), "release: 0.2.0\n");
    assert_eq!(it.git(&["status", "--porcelain"]), "");
    assert!(it.read("Cargo.toml").contains("version = \"0.2.0\"\n"));
    let expected = "name = \"other\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"rokade\"\n\
                    version = \"0.2.0\"\n";
    assert!(it.read("Cargo.lock").ends_with(expected));
    assert_eq!(it.read("README.md"), "sudo apt install ./rokade_0.2.0-1_arm64.deb\n");
    let changes = it.read("CHANGELOG.md");
    let chapters: Vec<_> = changes.lines().filter_map(|it| it.strip_prefix("## ")).collect();
    let names: Vec<_> = chapters.iter().map(|it| it.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["Unreleased", "0.2.0", "0.2.0-rc.1", "0.0.9"]);
    it.refuses(&["0.2.0"], "released already");
}
