//! How much of changed code the tests notice.
//!
//! `mutants weave DIR`: in DIR, a copy of the repository, the sources of the Laws, the tracker, the
//! clock, the lines and the journal are rewritten: each comparison, limit, side, condition, result
//! and statement has another one beside it, behind a switch that is read once from the environment.
//! So one build has all of them.
//!
//! `mutants listed DIR FILE`: what cargo-mutants lists in FILE is there instead.
//!
//! `mutants run DIR N SEED [FOLDER..]`: N of them, or of those in these folders, are taken by
//! chance, and the tests that reach each are run until one fails. Traces and scenarios are asked
//! one by one before whole tests are. Tests that take very long are not asked. Where none fails the
//! examples of the documentation are.
//!
//! `mutants again DIR FILE`: the same for the places of lines that a run has printed.
//!
//! `mutants rows DIR`: each provision of the Laws without a code fails the scenario, or the test,
//! that `tests/tables/laws/switched.csv` names, once the place that keeps it is switched.

mod listed;
mod weave;

use listed::Listed;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use weave::{Mutant, SWITCH, Weaver};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A folder of sources, and the tests that should know: how their names begin.
type Folder = (&'static str, &'static [&'static str]);

const FOLDERS: [Folder; 5] = [
    ("src/laws", &["laws::", "effects::"]),
    (
        "src/track",
        &[
            "track::",
            "replay::",
            "sensors::",
            "games::",
            "shown::",
            "memory::",
            "oracle::",
            "hands::",
            "laws::messy",
            "laws::traces",
            "trouble::",
            "simulate::",
            "effects::",
        ],
    ),
    ("src/clock", &["clock::", "clocks::", "timekeeper::", "replay::", "laws::scenario::every"]),
    (
        "src/wire",
        &[
            "wire::",
            "board::",
            "bus::",
            "makers::",
            "clocks::",
            "timekeeper::",
            "board_sim::",
            "leds::",
            "display::",
            "stall::",
            "matrix::",
            "line::",
            "unnamed::",
            "memory::",
            "trouble::",
            "replay::",
        ],
    ),
    (
        "src/shell/journal",
        &[
            "shell::journal",
            "shell::backup",
            "journal::",
            "daemon::",
            "space::",
            "copy::",
            "backup::",
            "orders::",
            "cli::",
        ],
    ),
];

/// Tests that run many files or many scenes, the variable that names one of them, and where their
/// names are from.
const SINGLES: [(&str, &str, Names); 4] = [
    ("replay::every_script_tells_the_arbiter_what_its_golden_file_says", "ROKADE_TRACE", traces),
    ("track::what_is_held_of_each_trace_is_what_it_was", "ROKADE_TRACE", traces),
    ("laws::traces::the_referee_cries_illegal_only_where_the_record_does", "ROKADE_TRACE", traces),
    (
        "laws::scenario::every_scenario_holds_in_every_edition_that_it_names",
        "ROKADE_SCENARIO",
        scenarios,
    ),
];

type Names = fn(&Path) -> Result<Vec<String>>;

/// What the examples of the documentation are called among the tests.
const EXAMPLES: &str = "the examples";
/// A test that takes longer is not asked.
const SLOW: Duration = Duration::from_secs(60);
/// What the tests of one place may take together.
const PATIENCE: Duration = Duration::from_secs(180);
/// So many single traces and scenarios are asked before whole tests are.
const FIRST: usize = 40;
/// How many are run at a time.
const WORKERS: usize = 2;
/// The places that can be switched, one a line.
const PLACES: &str = "places.txt";
const FEATURES: [&str; 3] = ["--no-default-features", "--features", "shell"];

/// The switch. Without a number it notes which places are reached.
const MUTANT: &str = r#"
/// Whether mutant `n` is on.
#[allow(clippy::all, missing_docs, unused)]
pub(crate) fn mutant(n: usize) -> bool {
    use std::sync::atomic::{AtomicBool, Ordering};
    static WHICH: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| {
        std::env::var("MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(usize::MAX)
    });
    static REACHED: [AtomicBool; 20_000] = [const { AtomicBool::new(false) }; 20_000];
    static NOTES: std::sync::LazyLock<Option<std::sync::Mutex<std::fs::File>>> =
        std::sync::LazyLock::new(|| {
            let path = std::env::var_os("MUTANTS_REACHED")?;
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path).ok()?;
            Some(std::sync::Mutex::new(file))
        });
    if let Some(notes) = &*NOTES
        && !REACHED[n].swap(true, Ordering::Relaxed)
    {
        use std::io::Write;
        let _ = writeln!(notes.lock().expect("notes"), "{n}");
    }
    n == *WHICH
}
"#;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["weave", dir] => weave_all(Path::new(dir), Weaver::default()),
        ["listed", dir, file] => {
            let listed = Listed::read(&fs::read_to_string(file)?)?;
            eprintln!("{} are listed", listed.len());
            weave_all(Path::new(dir), Weaver::of(listed))
        }
        ["run", dir, n, seed, wanted @ ..] => {
            let folders = folders(wanted)?;
            let mut places = places(Path::new(dir))?;
            places.retain(|(_, place)| folders.iter().any(|(folder, _)| place.starts_with(folder)));
            fastrand::Rng::with_seed(seed.parse()?).shuffle(&mut places);
            places.truncate(n.parse()?);
            judge(Path::new(dir), &places, &folders)
        }
        ["again", dir, file] => {
            let wanted = fs::read_to_string(file)?;
            let mut places = places(Path::new(dir))?;
            places.retain(|(_, place)| wanted.contains(&format!("\t{place}\t")));
            judge(Path::new(dir), &places, &FOLDERS)
        }
        ["rows", dir] => judge_rows(Path::new(dir)),
        _ => {
            let steps = "weave DIR, listed DIR FILE, run DIR N SEED [FOLDER..], again DIR FILE";
            Err(format!("mutants {steps}, or rows DIR").into())
        }
    }
}

/// The folders of these names, or all.
fn folders(wanted: &[&str]) -> Result<Vec<Folder>> {
    let known = |name: &&str| FOLDERS.into_iter().find(|(folder, _)| folder == name);
    let found: Option<Vec<Folder>> = wanted.iter().map(known).collect();
    let found = found.ok_or_else(|| format!("a FOLDER is one of {:?}", FOLDERS.map(|it| it.0)))?;
    Ok(if found.is_empty() { FOLDERS.to_vec() } else { found })
}

/// The places that can be switched, each with its number.
fn places(dir: &Path) -> Result<Vec<(usize, String)>> {
    let text = fs::read_to_string(dir.join(PLACES))?;
    let numbered = text.lines().filter_map(|line| line.split_once('\t'));
    Ok(numbered.filter_map(|(n, place)| Some((n.parse().ok()?, place.to_owned()))).collect())
}

/// The names of all traces.
fn traces(dir: &Path) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir.join("tests/traces"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        all.extend(name.strip_suffix(".golden").map(str::to_owned));
    }
    all.sort();
    Ok(all)
}

/// The names of all scenarios.
fn scenarios(dir: &Path) -> Result<Vec<String>> {
    Ok(scenario_files(dir)?.into_keys().collect())
}

/// The file of each scenario.
fn scenario_files(dir: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(dir.join("tests/tables/laws"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|it| it != "json") {
            continue;
        }
        let file: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
        let known = file["scenarios"].as_array().into_iter().flatten();
        let ids = known.filter_map(|it| it["id"].as_str().map(str::to_owned));
        all.extend(ids.map(|id| (id, path.clone())));
    }
    Ok(all)
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            all.extend(sources(&path)?);
        } else if path.extension().is_some_and(|it| it == "rs") {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

/// Rewrites the sources, and drops what does not compile until the rest does.
fn weave_all(dir: &Path, mut weaver: Weaver) -> Result<()> {
    let lib = dir.join("src/lib.rs");
    let text = fs::read_to_string(&lib)?;
    if !text.contains("fn mutant(") {
        // What the compiler can tell of a mutant's arithmetic the tests are to find out.
        let allowed = "#![allow(arithmetic_overflow, unconditional_panic)]\n";
        fs::write(&lib, format!("{allowed}{text}{MUTANT}"))?;
    }
    let mut plain = Vec::new();
    for (folder, _) in FOLDERS {
        for path in sources(&dir.join(folder))? {
            let text = fs::read_to_string(&path)?;
            plain.push((path.strip_prefix(dir)?.to_string_lossy().into_owned(), text));
        }
    }
    loop {
        weaver.mutants.clear();
        for (name, text) in &plain {
            fs::write(dir.join(name), weaver.weave(name, text))?;
        }
        let known = (weaver.dropped.len(), weaver.consts.len());
        drop_faults(dir, &mut weaver)?;
        let now = (weaver.dropped.len(), weaver.consts.len());
        eprintln!("{} places, {} do not compile", weaver.mutants.len(), now.0);
        if now == known {
            break;
        }
    }
    let mut places = String::new();
    for (n, Mutant { file, line, change }) in weaver.mutants.iter().enumerate() {
        if !weaver.dropped.contains(&n) {
            places.push_str(&format!("{n}\t{file}:{line}\t{change}\n"));
        }
    }
    fs::write(dir.join(PLACES), places)?;
    programs(dir, &FOLDERS).map(|_| ())
}

fn cargo(dir: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(dir).env("RUSTFLAGS", "-Awarnings");
    cargo.args(["--config", "profile.dev.package.shakmaty.opt-level=3"]);
    for key in ["CARGO_PROFILE_TEST_OPT_LEVEL", "CARGO_PROFILE_DEV_OPT_LEVEL"] {
        cargo.env(key, "1");
    }
    for key in ["CARGO_PROFILE_TEST_DEBUG", "CARGO_PROFILE_DEV_DEBUG"] {
        cargo.env(key, "0");
    }
    cargo
}

/// Drops the mutants that the compiler complains about.
fn drop_faults(dir: &Path, weaver: &mut Weaver) -> Result<()> {
    let mut check = cargo(dir);
    check.args(["check", "--lib", "--message-format=json"]).args(FEATURES);
    let out = check.stderr(Stdio::null()).output()?;
    let said = String::from_utf8(out.stdout)?;
    let messages = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let before = (weaver.dropped.len(), weaver.consts.len());
    let mut first = None;
    for message in messages.map(|it| it["message"].clone()).filter(|it| it["level"] == "error") {
        let text = message["message"].as_str().unwrap_or_default();
        if text.starts_with("cannot call non-const")
            && let Some(name) = text.split('`').nth(1)
        {
            let name = name.rsplit("::").next().unwrap_or_default();
            weaver.consts.insert(name.split('<').next().unwrap_or_default().to_owned());
            continue;
        }
        first.get_or_insert_with(|| message["rendered"].to_string());
        for span in message["spans"].as_array().into_iter().flatten() {
            if span["is_primary"] == true {
                weaver.dropped.extend(numbers(dir, span)?);
            }
        }
    }
    let is_stuck = before == (weaver.dropped.len(), weaver.consts.len());
    match first {
        Some(text) if is_stuck => Err(format!("cannot be made to compile: {text}").into()),
        _ => Ok(()),
    }
}

/// The mutants of the lines of a span.
fn numbers(dir: &Path, span: &Value) -> Result<Vec<usize>> {
    let name = span["file_name"].as_str().unwrap_or_default();
    let text = fs::read_to_string(dir.join(name))?;
    let line = |key: &str| span[key].as_u64().unwrap_or_default() as usize;
    let lines = text.lines().take(line("line_end")).skip(line("line_start").saturating_sub(1));
    let number = |line: &str| {
        let rest = line.strip_prefix(&format!("if {SWITCH}"))?;
        rest.split("usize").next()?.trim().parse().ok()
    };
    Ok(lines.filter_map(number).collect())
}

/// A test that can be run by itself, or one of the files or scenes that it runs.
#[derive(Clone, Debug)]
struct Test {
    program: PathBuf,
    name: String,
    only: Option<(&'static str, String)>,
    took: Duration,
}

impl Test {
    fn command(&self, dir: &Path) -> Command {
        let mut command = Command::new("timeout");
        // A mutant that runs for ever is noticed too.
        let limit = 10 + 5 * self.took.as_secs();
        command.args(["--kill-after=2", &limit.to_string()]).arg(&self.program);
        command.args(["--exact", &self.name]).current_dir(dir);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.envs(self.only.iter().map(|(key, name)| (key, name)));
        command
    }

    /// What is printed of it.
    fn title(&self) -> String {
        let only = self.only.as_ref().map(|(_, name)| format!(" {name}"));
        format!("{}{}", self.name, only.unwrap_or_default())
    }
}

/// All tests that should know anything of the folders.
fn programs(dir: &Path, folders: &[Folder]) -> Result<Vec<Test>> {
    let mut build = cargo(dir);
    build.args(["test", "--no-run", "--lib", "--test", "it", "--message-format=json"]);
    let out = build.args(FEATURES).stderr(Stdio::inherit()).output()?;
    let said = String::from_utf8(out.stdout)?;
    let mut all = Vec::new();
    for message in said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let Some(program) = message["executable"].as_str() else { continue };
        if message["profile"]["test"] != true {
            continue;
        }
        let out = Command::new(program).args(["--list", "--format=terse"]).output()?;
        for line in String::from_utf8(out.stdout)?.lines() {
            let Some(name) = line.strip_suffix(": test") else { continue };
            if folders.iter().any(|(_, known)| is_known(name, known)) {
                let (program, name) = (PathBuf::from(program), name.to_owned());
                all.push(Test { program, name, only: None, took: SLOW });
            }
        }
    }
    for (whole, key, names) in SINGLES {
        let Some(whole) = all.iter().find(|test| test.name == whole).cloned() else {
            let is_wanted = folders.iter().any(|(_, known)| is_known(whole, known));
            if is_wanted {
                return Err(format!("a test has another name than {whole}").into());
            }
            continue;
        };
        let single = |name| Test { only: Some((key, name)), ..whole.clone() };
        let singles: Vec<Test> = names(dir)?.into_iter().map(single).collect();
        all.extend(singles);
    }
    Ok(all)
}

fn is_known(name: &str, known: &[&str]) -> bool {
    known.iter().any(|part| name.starts_with(part))
}

/// Does `work` until none is left, by several threads; each is told its number.
fn share(work: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        for n in 0..WORKERS {
            let work = &work;
            scope.spawn(move || work(n));
        }
    });
}

/// Which tests reach each mutant. A test that fails without a mutant, or takes long, is not asked.
fn reached(dir: &Path, tests: &[Test]) -> BTreeMap<usize, Vec<Test>> {
    let all: Mutex<BTreeMap<usize, Vec<Test>>> = Mutex::default();
    let left = Mutex::new(tests.iter());
    share(|worker| {
        while let Some(test) = { left.lock().expect("tests").next() } {
            let notes = dir.join(format!("reached-{worker}"));
            let _ = fs::remove_file(&notes);
            let begin = Instant::now();
            let ended = test.command(dir).env("MUTANTS_REACHED", &notes).status();
            let took = begin.elapsed();
            if !ended.is_ok_and(|it| it.success()) || took > SLOW {
                eprintln!("{:.0} s {} is not asked", took.as_secs_f64(), test.title());
                continue;
            }
            let text = fs::read_to_string(&notes).unwrap_or_default();
            let mut all = all.lock().expect("all");
            for n in text.lines().filter_map(|line| line.parse().ok()) {
                all.entry(n).or_default().push(Test { took, ..test.clone() });
            }
        }
    });
    all.into_inner().expect("all")
}

/// The tests that are asked, in their order: what takes little and has noticed much comes first.
fn in_order<'a>(
    tests: &'a [Test],
    known: &[&str],
    noticed: &BTreeMap<String, u32>,
) -> Vec<&'a Test> {
    let mut asked: Vec<&Test> = tests.iter().filter(|test| is_known(&test.name, known)).collect();
    asked.sort_by_key(|test| {
        let n = noticed.get(&test.title()).copied().unwrap_or(0);
        (test.took + Duration::from_millis(100)) / (n + 1)
    });
    // The whole tests ask all of them once more.
    let mut n_singles = 0;
    asked.retain(|test| {
        n_singles += usize::from(test.only.is_some());
        test.only.is_none() || n_singles <= FIRST
    });
    asked
}

/// The first test that fails with mutant `n`, and whether all were asked.
fn noticed_by(dir: &Path, n: usize, asked: &[&Test]) -> (Option<String>, bool) {
    let begin = Instant::now();
    for test in asked {
        if begin.elapsed() > PATIENCE {
            return (None, false);
        }
        let ended = test.command(dir).env("MUTANT", n.to_string()).status();
        if !ended.is_ok_and(|it| it.success()) {
            return (Some(test.title()), true);
        }
    }
    (None, true)
}

/// Whether the examples of the documentation hold with mutant `n`.
fn examples_hold(dir: &Path, n: Option<usize>) -> bool {
    let mut docs = cargo(dir);
    docs.args(["test", "--doc", "--quiet"]).args(FEATURES);
    docs.env("MUTANT", n.map_or(String::new(), |n| n.to_string()));
    docs.stdout(Stdio::null()).stderr(Stdio::null());
    docs.status().is_ok_and(|it| it.success())
}

/// Runs these places, and says of each what noticed it.
fn judge(dir: &Path, places: &[(usize, String)], folders: &[Folder]) -> Result<()> {
    let begin = Instant::now();
    let reached = reached(dir, &programs(dir, folders)?);
    if !examples_hold(dir, None) {
        return Err("an example of the documentation fails without a change".into());
    }
    eprintln!("{:.0} s for what reaches what", begin.elapsed().as_secs_f64());
    let examples = Mutex::new(());
    let left = Mutex::new(places.iter());
    let counts: Mutex<BTreeMap<&str, (usize, usize)>> = Mutex::default();
    // How many each test has noticed so far: those that notice much are asked first.
    let noticed: Mutex<BTreeMap<String, u32>> = Mutex::default();
    share(|_| {
        while let Some((n, place)) = { left.lock().expect("places").next() } {
            let folder = FOLDERS.iter().find(|(folder, _)| place.starts_with(folder));
            let (folder, known) = folder.expect("it is in one of them");
            let tests = reached.get(n).map(Vec::as_slice).unwrap_or_default();
            let asked = in_order(tests, known, &noticed.lock().expect("counts"));
            let (mut by, is_all) = noticed_by(dir, *n, &asked);
            if by.is_none() {
                let _alone = examples.lock().expect("examples");
                by = (!examples_hold(dir, Some(*n))).then(|| EXAMPLES.to_owned());
            }
            let said = by.as_deref().unwrap_or(if is_all { "LIVES" } else { "LIVES SO FAR" });
            println!("{said}\t{place}\t{n}\tof {} tests", asked.len());
            let mut counts = counts.lock().expect("counts");
            let count = counts.entry(folder).or_default();
            count.0 += usize::from(by.is_some());
            count.1 += 1;
            if let Some(name) = by {
                *noticed.lock().expect("counts").entry(name).or_default() += 1;
            }
        }
    });
    for (folder, (noticed, all)) in counts.into_inner().expect("counts") {
        println!("{folder}: {noticed} of {all}");
    }
    Ok(())
}

/// Switches, for each line of the table of rows, the place that keeps the row, and asks what the
/// line names: a scenario, by what it expects and not by all that is said, or a test.
fn judge_rows(dir: &Path) -> Result<()> {
    let table = fs::read_to_string(dir.join("tests/tables/laws/switched.csv"))?;
    let (places, tests) = (places(dir)?, programs(dir, &FOLDERS)?);
    let files = scenario_files(dir)?;
    let (whole, ..) = SINGLES[3];
    let mut n_wrong = 0;
    for line in table.lines().skip(1) {
        let [row, file, change, by] = line.split(';').collect::<Vec<_>>()[..] else {
            return Err(format!("four columns: {line}").into());
        };
        let is_it = |place: &str| {
            let told =
                place.split_once('\t').and_then(|(at, told)| Some((at.split_once(':')?, told)));
            told.is_some_and(|((known, _), told)| known == file && told == change)
        };
        let numbers: Vec<usize> =
            places.iter().filter(|(_, place)| is_it(place)).map(|(n, _)| *n).collect();
        let name = if files.contains_key(by) { whole } else { by };
        let asked = tests.iter().find(|test| test.name == name && test.only.is_none());
        let asked = asked.ok_or_else(|| format!("{row}: neither scenario nor test is {by}"))?;
        // None of them takes long, and what is switched off may never end.
        let asked = Test { took: Duration::from_secs(4), ..asked.clone() };
        let holds = |n: Option<usize>| {
            let mut command = asked.command(dir);
            command.env("MUTANT", n.map_or(String::new(), |n| n.to_string()));
            if let Some(file) = files.get(by) {
                command.env("ROKADE_SCENARIOS", file).env("ROKADE_SCENARIO", by);
            }
            command.status().is_ok_and(|it| it.success())
        };
        let is_kept = holds(None) && numbers.iter().any(|n| !holds(Some(*n)));
        let said = match (is_kept, numbers.is_empty()) {
            (true, _) => "kept",
            (false, true) => "NO SUCH PLACE",
            (false, false) => "NOT KEPT",
        };
        println!("{said}\t{line}");
        n_wrong += usize::from(!is_kept);
    }
    match n_wrong {
        0 => Ok(()),
        _ => Err(format!("{n_wrong} rows are not kept").into()),
    }
}
