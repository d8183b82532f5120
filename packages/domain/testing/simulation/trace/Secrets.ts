/**
 * The kinds of secrets. A trace names a secret by its kind and a number: `access-1` is the first access token that a
 * simulated app received.
 */
export type SecretKind =
  | "code"
  | "access"
  | "refresh"
  | "client-secret"
  | "device-token"
  | "signing-secret"
  | "password"
  | "cookie"

/**
 * The shape of the secrets that begin with a prefix of the service: tokens, authorization codes, keys of setup links,
 * client secrets and signing secrets. Cookies, and the secrets of links in mails, have no prefix.
 */
const SHAPE =
  /pa_(?:at|rt|ac|dv|ds)\.[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{43,64}|pa_cs_[A-Za-z0-9_-]{40,64}|whsec_[A-Za-z0-9_-]{40,64}/

export const hasShape = (text: string): boolean => SHAPE.test(text)

/**
 * The known secrets of a run, each with its alias: the secrets that the simulated people and apps received, the
 * passwords, and every signing secret that the vault encrypted.
 */
export class Secrets {
  private readonly aliases = new Map<string, string>()
  private readonly raws = new Map<string, string>()
  private readonly passwords: Array<string> = []
  private readonly counts = new Map<SecretKind, number>()

  /** The alias of a secret. A secret without an alias gets the next alias of its kind. */
  alias(kind: SecretKind, raw: string): string {
    const known = this.aliases.get(raw)
    if (known !== undefined) return known
    const count = (this.counts.get(kind) ?? 0) + 1
    this.counts.set(kind, count)
    const alias = `${kind}-${count}`
    this.aliases.set(raw, alias)
    if (kind === "password") this.passwords.push(raw)
    this.raws.set(alias, raw)
    return alias
  }

  /**
   * The secret of an alias. A text that is not an alias is returned unchanged, because it stands for a made-up token
   * that the service never issued.
   */
  raw(alias: string): string {
    return this.raws.get(alias) ?? alias
  }

  /** Every secret of one kind, with its alias. */
  of(kind: SecretKind): ReadonlyArray<readonly [alias: string, raw: string]> {
    return [...this.raws].filter(([alias]) => alias.startsWith(`${kind}-`))
  }

  /**
   * Finds the secrets that a value contains in the clear, and returns their aliases. A secret without an alias, which
   * no simulated person or app has received, is returned as `a secret not told yet`.
   */
  in(value: unknown): ReadonlyArray<string> {
    const found = new Set<string>()
    this.search(value, found, 0)
    return [...found]
  }

  /**
   * Finds a known secret that is the whole text, or a password that is a part of the text. Other secrets without a
   * prefix, such as cookies, are found only as whole texts, because a run has many of them and the search would take
   * too long.
   */
  private known(text: string): string | undefined {
    return this.aliases.has(text) ? text : this.passwords.find((password) => text.includes(password))
  }

  private search(value: unknown, found: Set<string>, depth: number): void {
    if (typeof value === "string") {
      const match = SHAPE.exec(value)?.[0] ?? this.known(value)
      if (match !== undefined) found.add(this.aliases.get(match) ?? "a secret not told yet")
      return
    }
    if (typeof value !== "object" || value === null || depth > DEEP || ArrayBuffer.isView(value)) return
    if (value instanceof Map) {
      for (const [key, inner] of value) {
        this.search(key, found, depth + 1)
        this.search(inner, found, depth + 1)
      }
      return
    }
    if (value instanceof Error) {
      // `Object.values` does not return the message and the cause of an error, so both are searched here.
      this.search(value.message, found, depth + 1)
      this.search(value.cause, found, depth + 1)
    }
    for (const inner of value instanceof Set ? value : Object.values(value)) this.search(inner, found, depth + 1)
  }
}

/** The number of nested levels after which the search stops. No row of the database has more levels. */
const DEEP = 8
