// Written by build.rs from flags.csv.
export const FLAGS: Set<string>;
