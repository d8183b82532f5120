import { Effect } from "effect"
import { distance } from "fastest-levenshtein"

/** A variable of the environment that the program does not read, and the setting with a similar name. */
export interface Misspelt {
  readonly given: string
  readonly meant: string
}

/** The settings of a program, by name. */
type Named = ReadonlyArray<{ readonly name: string }>

/**
 * The smallest length of a long name. In a long name two letters may be wrong, in a shorter name only one: HOME must
 * not be taken for HOST. Two neighbours that are swapped (POTR) count as one wrong letter.
 */
const LONG = 8

/**
 * Finds variables that are probably misspelled settings. Other programs have their own variables, so a name counts only
 * when it differs from the name of a setting by one letter, or by two in a long name. Case and underscores do not
 * count: `database-url` is taken for `DATABASE_URL`.
 */
export const found = (
  environment: Readonly<Record<string, string | undefined>>,
  settings: Named
): ReadonlyArray<Misspelt> => {
  const names = new Set(settings.map(({ name }) => name))
  return Object.keys(environment).flatMap((given) => {
    const meant = names.has(given) ? undefined : nearest(given, names)
    return meant === undefined ? [] : [{ given, meant }]
  })
}

const nearest = (given: string, names: ReadonlySet<string>): string | undefined => {
  const letters = bare(given)
  const most = letters.length < LONG ? 1 : 2
  const [first] = Array.from(names, (name) => ({ name, apart: wrong(letters, bare(name)) })).sort(
    (one, other) => one.apart - other.apart
  )
  return first !== undefined && first.apart <= most ? first.name : undefined
}

/** How many letters are wrong, where at most one pair of swapped neighbours counts as one. */
const wrong = (given: string, meant: string): number => {
  const swapped = Array.from(
    given.slice(1),
    (letter, at) => `${given.slice(0, at)}${letter}${given[at]}${given.slice(at + 2)}`
  )
  return Math.min(distance(given, meant), ...swapped.map((text) => 1 + distance(text, meant)))
}

const bare = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "")

/** The warning for the person who set the variable. It does not contain the value, which may be a password. */
export const sentence = ({ given, meant }: Misspelt): string =>
  `${given} is not a setting, so it has no effect. Did you mean ${meant}?`

/** Logs a warning for each misspelled variable. */
export const warnings = (
  environment: Readonly<Record<string, string | undefined>>,
  settings: Named
): Effect.Effect<void> =>
  Effect.forEach(found(environment, settings), (one) => Effect.logWarning(sentence(one)), { discard: true })
