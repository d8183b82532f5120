import { Config, ConfigError, Either, Option } from "effect"

/** One environment variable: its purpose, its values and its default. */
export interface Setting<A> {
  readonly name: string
  /** What the variable does, in a few sentences for the person who runs the program. */
  readonly description: string
  /** The default in words. It applies when the variable is absent or empty. */
  readonly fallback: string
  readonly config: Config.Config<A>
}

/**
 * Parses the text of a variable. A Left says which kind of text is expected, such as "a whole number from 1 to 65535".
 * With `saysFault`, the Left is a clause that says what is wrong.
 */
export type Parse<A> = (text: string) => Either.Either<A, string>

interface Options<A> {
  readonly description: string
  readonly parse: Parse<A>
  /** Whether error messages leave the value out, because it is a password or may contain one. */
  readonly secret?: boolean
  /**
   * Whether a Left of the parser says what is wrong, in a whole clause such as "key 2 must be 32 bytes", and not what
   * is expected.
   */
  readonly saysFault?: boolean
}

/** A variable that may be absent. */
export const optional = <A>(
  name: string,
  options: Options<A> & { readonly fallback: string }
): Setting<Option.Option<A>> => ({
  name,
  description: options.description,
  fallback: options.fallback,
  // An empty variable counts as absent, because people leave variables empty in a file of settings.
  config: Config.string(name).pipe(
    Config.map((text) => text.trim()),
    Config.withDefault(""),
    Config.mapOrFail((text) =>
      text === "" ? Either.right(Option.none()) : Either.map(read(name, options, text), Option.some)
    ),
    Config.withDescription(options.description)
  )
})

/** A variable with a default. */
export const withDefault = <A>(
  name: string,
  options: Options<A> & { readonly fallback: A; readonly shown?: string }
): Setting<A> => {
  const { config, ...setting } = optional(name, { ...options, fallback: options.shown ?? String(options.fallback) })
  return {
    ...setting,
    config: Config.map(
      config,
      Option.getOrElse(() => options.fallback)
    )
  }
}

const read = <A>(
  name: string,
  { parse, saysFault = false, secret = false }: Options<A>,
  text: string
): Either.Either<A, ConfigError.ConfigError> =>
  Either.mapLeft(parse(text), (problem) => {
    const message = saysFault ? `is wrong: ${problem}` : `must be ${problem}`
    return ConfigError.InvalidData([name], secret ? message : `${message}, but is "${text}"`)
  })

/** A whole number within bounds. */
export const integer =
  (min: number, max: number): Parse<number> =>
  (text) => {
    const value = Number(text)
    return /^\d{1,15}$/.test(text) && value >= min && value <= max
      ? Either.right(value)
      : Either.left(`a whole number from ${min} to ${max}`)
  }

/** Accepts one of several words, in upper or lower case. */
export const oneOf =
  <const Words extends ReadonlyArray<string>>(...words: Words): Parse<Words[number]> =>
  (text) => {
    const found = words.find((word) => word === text.toLowerCase())
    return found === undefined ? Either.left(listed(words)) : Either.right(found)
  }

export const boolean: Parse<boolean> = (text) => {
  const word = text.toLowerCase()
  return word === "true" || word === "false" ? Either.right(word === "true") : Either.left("true or false")
}

export const anyText: Parse<string> = Either.right

/** A host that a socket can listen on. */
export const hostName: Parse<string> = (text) =>
  /^[A-Za-z0-9.:_-]+$/.test(text) ? Either.right(text) : Either.left("an IP address or a host name")

/** An http or https address without query, fragment or credentials. Slashes at its end are removed. */
export const httpUrl: Parse<string> = (text) => {
  const expected = "an address such as https://places.example.com, without query, fragment or credentials"
  if (!URL.canParse(text)) return Either.left(expected)
  const url = new URL(text)
  const isPlain = url.search === "" && url.hash === "" && url.username === "" && url.password === ""
  return /^https?:$/.test(url.protocol) && isPlain && !/[?#]/.test(text)
    ? Either.right(url.href.replace(/\/+$/, ""))
    : Either.left(expected)
}

/**
 * Accepts the addresses that `httpUrl` accepts (http or https, without query, fragment and credentials) and for which
 * `isOne` is true. For every other text, `expected` says what is expected.
 */
const httpUrlThat =
  (isOne: (url: URL) => boolean, expected: string): Parse<string> =>
  (text) =>
    httpUrl(text).pipe(
      Either.filterOrLeft(
        (address) => isOne(new URL(address)),
        () => expected
      ),
      Either.mapLeft(() => expected)
    )

/**
 * The address of a service at the root of its host: an http or https address without path, query, fragment and
 * credentials. The pages and the API have fixed paths, so they answer nowhere else.
 */
export const rootUrl = httpUrlThat(
  ({ pathname }) => pathname === "/",
  "an address such as https://places.example.com, without path, query, fragment or credentials"
)

const PLAIN_PATH = /^\/$|^(?:\/[A-Za-z0-9._~-]+)+$/

/**
 * The address below which pages are: an address that `httpUrl` accepts, and whose path the router takes as it is. In a
 * route, a colon or an asterisk stands for any text, and the router compares a path after the browser has encoded it.
 */
export const pagesUrl = httpUrlThat(
  ({ pathname }) => PLAIN_PATH.test(pathname),
  "an address such as https://places.example.com/people, with a path of letters, digits and - . _ ~, and without query, fragment or credentials"
)

/**
 * An address of map tiles. `{s}` is refused: the pages allow pictures from one origin, and no tile server needs
 * several.
 */
export const tileUrl: Parse<string> = (text) => {
  const expected = "an address such as https://tiles.example.com/{z}/{x}/{y}.png, with {z}, {x} and {y} and no {s}"
  const filled = text.replace(/\{[zxyr]\}/g, "0")
  const isWhole = ["{z}", "{x}", "{y}"].every((part) => text.includes(part))
  if (!isWhole || /[{}\s"<>;,]/.test(filled) || !URL.canParse(filled)) return Either.left(expected)
  const { password, protocol, username } = new URL(filled)
  const host = /^https?:\/\/[^/]*/.exec(text)?.[0] ?? ""
  return /^https?:$/.test(protocol) && username === "" && password === "" && !host.includes("{")
    ? Either.right(text)
    : Either.left(expected)
}

/** An address where a person can report problems: a web page, or an e-mail address after `mailto:`. */
export const contact: Parse<string> = (text) =>
  /^mailto:[^\s@?]+@[^\s@?]+$/.test(text) || (/^https:\/\/\S+$/.test(text) && URL.canParse(text))
    ? Either.right(text)
    : Either.left("mailto:security@example.com, or an https address")

const listed = (words: ReadonlyArray<string>): string => {
  const last = words.at(-1) ?? ""
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`
}
