//! Writes the man pages and the completions for shells into a folder, which the package takes them
//! from: `cargo run --example papers FOLDER`. All of that comes from what `--help` says.

use clap::CommandFactory;
use clap_complete::Shell;
use rokade::shell::cli::Cli;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| io::Error::other("usage: papers FOLDER"))?;
    let man = folder.join("man");
    fs::create_dir_all(&man)?;
    clap_mangen::generate_to(Cli::command(), &man)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut Cli::command(), "rokade", &folder)?;
    }
    Ok(())
}
