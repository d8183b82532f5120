/**
 * The kinds of secrets. A trace names a secret by its kind and a number: the first secret of a kind that the simulated
 * people and apps received has the number 1.
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

/** The shape of every secret that the service issues, except cookies. */
const SHAPE =
  /pa_(?:at|rt|ac|dv|ds)\.[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{43,64}|pa_cs_[A-Za-z0-9_-]{40,64}|whsec_[A-Za-z0-9_-]{40,64}/

export const hasShape = (text: string): boolean => SHAPE.test(text)

/** The secrets that the simulated people and apps have received, each with its alias. */
export class Secrets {
  private readonly aliases = new Map<string, string>()
  private readonly raws = new Map<string, string>()
  private readonly passwords: Array<string> = []
  private readonly counts = new Map<SecretKind, number>()

  /** The alias of a secret. The same secret has the same alias. */
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

  /** The secret of an alias. A text that is no alias is returned unchanged: it is a token that nobody issued. */
  raw(alias: string): string {
    return this.raws.get(alias) ?? alias
  }

  /** Every secret of a kind, with its alias. */
  of(kind: SecretKind): ReadonlyArray<readonly [alias: string, raw: string]> {
    return [...this.raws].filter(([alias]) => alias.startsWith(`${kind}-`))
  }

  /**
   * The secrets in a value that are in the clear: their aliases, or `a secret not told yet` for a secret that nobody in
   * the simulation has received.
   */
  in(value: unknown): ReadonlyArray<string> {
    const found = new Set<string>()
    this.search(value, found, 0)
    return [...found]
  }

  /**
   * The secret that a text without the shape of one is, or the password that stands in it. The few passwords of a run
   * are searched for in every text. Of the many cookies, only whole texts are compared.
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
      // `Object.values` does not have these two.
      this.search(value.message, found, depth + 1)
      this.search(value.cause, found, depth + 1)
    }
    for (const inner of value instanceof Set ? value : Object.values(value)) this.search(inner, found, depth + 1)
  }
}

/** The search stops at this depth. No row is nested deeper. */
const DEEP = 8
