//! The pages are plain files, but the board on them, what writes the rest, and the flags are npm
//! packages. Without feature `web` this does nothing; with it, those are installed once into the
//! build folder, and every file that the server may answer with is gathered there beside a table of
//! their names, types and hashes.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Where our own pages live.
const PAGES: &str = "src/web";
/// What npm reads. The lock decides whether there is anything to install.
const NPM_FILES: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];
/// Our own files, by the name they are served under.
const OWN: [&str; 16] = [
    "index.html",
    "demo.css",
    "paper.css",
    "demo.js",
    "game.js",
    "names.js",
    "panel.js",
    "choices.js",
    "words.js",
    "plain.js",
    "hall.html",
    "hall.css",
    "hall.js",
    "clock.js",
    "link.js",
    "icon.svg",
];
/// What stands in the head of each page, in the place of a line that names it.
const HEAD: &str = "head.html";
const HEAD_HERE: &str = "    <!-- head.html -->\n";
/// The packages' files, from where npm puts them.
const THEIRS: [&str; 5] = [
    "@lichess-org/chessground/dist/chessground.min.js",
    "@lichess-org/chessground/assets/chessground.base.css",
    "@lichess-org/chessground/assets/chessground.brown.css",
    "@lichess-org/chessground/assets/chessground.cburnett.css",
    "lit-html/lit-html.js",
];
const MODULES: &str = "node_modules";
/// The flag of each federation, by FIDE's code: a line `NOR;NO`.
const FLAGS: &str = "flags.csv";
const FLAGS_DIR: &str = "country-flag-icons/3x2";
/// The script that says for which codes there is one, so that no page asks for any other.
const FLAGS_SCRIPT: &str = "flags.js";
/// What to do when there is no npm.
const REMEDY: &str = "install nodejs and npm, or build with `--no-default-features \
                      --features shell` for a daemon without pages";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_WEB").is_none() {
        return;
    }
    if let Err(why) = build() {
        // Cargo shows the sentence and fails the build.
        println!("cargo::error={why}");
    }
}

/// Installs, gathers, and writes the table.
fn build() -> Result<(), String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the build folder"));
    let npm = out.join("npm");
    install(&npm)?;
    let web = out.join("web");
    fs::create_dir_all(&web).map_err(|e| format!("cannot create {}: {e}", web.display()))?;

    let mut table = String::from("&[\n");
    let modules = npm.join(MODULES);
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    let own = OWN.iter().map(|name| Path::new(PAGES).join(name));
    for from in own.chain(THEIRS.iter().map(|name| modules.join(name))) {
        let name = from.file_name().and_then(|n| n.to_str()).expect("plain names, listed above");
        files.push((name.to_owned(), from));
    }
    let mut codes = Vec::new();
    let flags = text(&Path::new(PAGES).join(FLAGS))?;
    for line in flags.lines().skip(1) {
        let (code, flag) = line.split_once(';').ok_or(format!("{FLAGS}: {line:?} is no row"))?;
        let from = modules.join(FLAGS_DIR).join(format!("{flag}.svg"));
        files.push((format!("flag-{code}.svg"), from));
        codes.push(code);
    }
    let script = format!("export const FLAGS = new Set('{}'.split(' '));\n", codes.join(" "));
    write(&out.join(FLAGS_SCRIPT), script.as_bytes())?;
    files.push((FLAGS_SCRIPT.to_owned(), out.join(FLAGS_SCRIPT)));
    let head = text(&Path::new(PAGES).join(HEAD))?;
    for (name, from) in files {
        let bytes = match name.ends_with(".html") {
            true => text(&from)?.replace(HEAD_HERE, &head).into_bytes(),
            false => read(&from)?,
        };
        write(&web.join(&name), &bytes)?;
        let mut hash = DefaultHasher::new();
        hash.write(&bytes);
        writeln!(
            table,
            "    Asset {{\n        name: {name:?},\n        mime: {:?},\n        \
             etag: \"\\\"{:016x}\\\"\",\n        \
             bytes: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/web/{name}\")),\n    }},",
            mime(&name),
            hash.finish(),
        )
        .expect("a string takes everything");
    }
    table.push_str("]\n");
    write(&out.join("assets.rs"), table.as_bytes())?;
    for name in OWN.iter().chain(&NPM_FILES).chain([&FLAGS, &HEAD]) {
        println!("cargo::rerun-if-changed={PAGES}/{name}");
    }
    Ok(())
}

/// Runs `npm ci` in `dir`, unless what lies there was installed from the same files.
fn install(dir: &Path) -> Result<(), String> {
    fs::create_dir_all(dir).map_err(|e| format!("cannot create {}: {e}", dir.display()))?;
    let mut wanted = Vec::new();
    for name in NPM_FILES {
        let bytes = read(&Path::new(PAGES).join(name))?;
        write(&dir.join(name), &bytes)?;
        wanted.extend(bytes);
    }
    let installed = dir.join("installed");
    if fs::read(&installed).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let run = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(dir)
        .output()
        .map_err(|e| format!("the pages need npm, which cannot be started ({e}): {REMEDY}"))?;
    if !run.status.success() {
        let said = String::from_utf8_lossy(&run.stderr);
        let said = said.lines().filter(|line| line.starts_with("npm error")).collect::<Vec<_>>();
        return Err(format!(
            "the pages need an npm package, and `npm ci` failed with {} ({}): look at the network, \
             or {REMEDY}",
            run.status,
            said.join("; "),
        ));
    }
    write(&installed, &wanted)
}

/// The type that a browser needs to be told; sniffing is forbidden to it.
fn mime(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))
}
