/** The members with these names. */
export function picked<T extends object, Name extends keyof T>(
  members: T,
  names: readonly Name[],
): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, members[name]])) as Pick<T, Name>
}

/** The names of members, which may be those of columns. */
export function namesIn<T extends object>(members: T) {
  return Object.keys(members) as (keyof T)[]
}
