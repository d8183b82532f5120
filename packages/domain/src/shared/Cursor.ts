import { Effect, Encoding, Either, Option, Schema } from "effect"
import { Invalid } from "./Invalid.js"
import { Vault, type VaultError } from "./Vault.js"

/**
 * Where a list goes on. Opaque and tamper-proof: the position is authenticated together with the query that it belongs
 * to, so a cursor of another connection or another filter is refused (Spec §4.5).
 */
export const seal = (
  position: ReadonlyArray<string | number>,
  query: string
): Effect.Effect<string, VaultError, Vault> =>
  Effect.gen(function* () {
    const vault = yield* Vault
    const body = Encoding.encodeBase64Url(JSON.stringify(position))
    const mac = yield* vault.derive("cursor", vault.currentKey, `${body}.${query}`)
    return `${vault.currentKey}.${body}.${mac}`
  })

const Position = Schema.parseJson(Schema.Array(Schema.Union(Schema.String, Schema.Number)))

/** Fails with `Invalid` on `cursor` for anything that `seal` did not make for the same query. */
export const open = (cursor: string, query: string): Effect.Effect<ReadonlyArray<string | number>, Invalid, Vault> =>
  Effect.gen(function* () {
    const vault = yield* Vault
    const [keyText, body, mac, ...rest] = cursor.split(".")
    const key = vault.keys.find((candidate) => candidate === keyText)
    if (key === undefined || body === undefined || mac === undefined || rest.length > 0) return yield* refused
    const expected = yield* Effect.option(vault.derive("cursor", key, `${body}.${query}`))
    if (Option.isNone(expected) || !vault.equal(expected.value, mac)) return yield* refused
    const text = Encoding.decodeBase64UrlString(body)
    if (Either.isLeft(text)) return yield* refused
    return yield* Effect.mapError(Schema.decode(Position)(text.right), () => refused)
  })

const refused = Invalid.of("cursor", "was not issued for this list; start again without it")
