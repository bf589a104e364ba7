// Names of players where there is no room for all of one.

/** Letters of a given name at the most: the family name wants the room. */
const GIVEN_MOST = 4;

/** @param {string} name "Last, First" */
const family_of = name => name.split(',')[0] ?? name;

/**
 * How much of a name is said where there is no room for more: the family name, and of the given
 * name as many letters as tell one from another of the same family among `names`, four at most.
 * @param {string[]} names
 * @returns {(name: string) => string}
 */
export function shortened(names) {
  /** @type {Map<string, Set<string>>} */
  const families = new Map();
  for (const name of names) {
    const family = family_of(name);
    families.set(family, (families.get(family) ?? new Set()).add(name));
  }
  return name => {
    const family = family_of(name);
    const others = [...families.get(family) ?? []].filter(other => other !== name);
    if (others.length === 0) return family;
    const [beginning = ''] = name.slice(family.length).match(/^,\s*/) ?? [];
    let end = family.length + beginning.length + 1;
    const most = Math.min(name.length, end + GIVEN_MOST - 1);
    while (end < most && others.some(it => it.startsWith(name.slice(0, end)))) end += 1;
    return name.slice(0, end);
  };
}
