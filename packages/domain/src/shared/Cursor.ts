import { Effect, Encoding, Either, Schema } from "effect"
import { Invalid } from "./Errors.js"
import type { Page, PagePosition, PageRequest } from "./Page.js"
import { isSigned, Vault, type VaultError } from "./Vault.js"

/**
 * Writes a position as a text that `open` accepts only for the same `query`, so that no list with another connection or
 * filter accepts it (Spec §4.5). The text is signed with a MAC and not encrypted, so the position must contain nothing
 * secret.
 */
export const seal = (position: PagePosition, query: string): Effect.Effect<string, VaultError, Vault> =>
  Effect.gen(function* () {
    const vault = yield* Vault
    const body = Encoding.encodeBase64Url(JSON.stringify(position))
    const mac = yield* vault.derive("cursor", vault.currentKey, `${body}.${query}`)
    return `${vault.currentKey}.${body}.${mac}`
  })

const Position = Schema.parseJson(Schema.Array(Schema.Union(Schema.String, Schema.Number)))

/**
 * Reads a text that `seal` wrote. Fails with `Invalid` on `cursor` for every other text, for a text that was written
 * for another query, and for one whose key is not in `Vault.keys`.
 */
export const open = (cursor: string, query: string): Effect.Effect<PagePosition, Invalid, Vault> =>
  Effect.gen(function* () {
    const [keyId = "", body, mac, ...rest] = cursor.split(".")
    if (body === undefined || mac === undefined || rest.length > 0) return yield* refused
    if (!(yield* isSigned("cursor", { keyId, mac, text: `${body}.${query}` }))) return yield* refused
    const text = Encoding.decodeBase64UrlString(body)
    if (Either.isLeft(text)) return yield* refused
    return yield* Effect.mapError(Schema.decode(Position)(text.right), () => refused)
  })

/**
 * Opens the cursor, reads the page that begins after the position in the cursor, and seals the cursor of the next page;
 * null on the last page.
 */
export const page = <A, E, R>(
  query: string,
  { cursor, limit }: PageRequest,
  read: (limit: number, after: PagePosition | undefined) => Effect.Effect<Page<A>, E, R>
) =>
  Effect.gen(function* () {
    const after = cursor === undefined ? undefined : yield* open(cursor, query)
    const { items, next } = yield* read(limit, after)
    return { items, nextCursor: next === undefined ? null : yield* seal(next, query) }
  })

const refused = Invalid.of("cursor", "was not issued for this list; start again without it")
