import { SqlClient } from "@effect/sql/SqlClient"
import * as QuickRefresh from "@place-access/adapters-pg/tokens/QuickRefresh"
import { ConnectionId, Entropy, FamilyId, Timestamp, Vault } from "@place-access/domain/shared"
import { refreshTokens, TokenStore, type TokenWrite } from "@place-access/domain/tokens"
import { ConsentFlow, Fixtures } from "@place-access/domain/testing"
import { Deferred, Effect, Fiber, Layer, Logger, LogLevel, Option } from "effect"
import { expect, it } from "vitest"
import { migratedPostgres, START, withStores } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"
import { tokenStores } from "../support/tokenStores.js"

const stores = Layer.mergeAll(tokenStores, Logger.minimumLogLevel(LogLevel.None))

/**
 * A connection, the row that a refresh has read, and a function that makes the writes of this refresh. The tests change
 * the connection between the read and the writes.
 */
const readOnce = Effect.gen(function* () {
  const sql = yield* SqlClient
  const user = yield* Fixtures.user
  const app = yield* Fixtures.app((yield* Fixtures.user).id, { status: "production" })
  const { tokens } = yield* ConsentFlow.connect(app, user, ["location.place.current"])
  const id = ConnectionId.make(tokens.refreshToken.split(".")[1] ?? "")
  const vault = yield* Vault.Vault
  const presented = vault.sha256(tokens.refreshToken)
  const row = Option.getOrThrow(yield* QuickRefresh.read(sql)(user.id, id, presented))
  const rotation = Effect.map(
    Effect.all([Entropy.secret, Entropy.secret]),
    ([child, access]): QuickRefresh.RotationWrite => ({
      userId: user.id,
      id,
      version: row.version,
      presented,
      spent: { at: Timestamp.make(START), nonce: "n", keyId: vault.currentKey },
      child: vault.sha256(child),
      access: vault.sha256(access)
    })
  )
  const change = (...writes: ReadonlyArray<TokenWrite>) =>
    Effect.flatMap(TokenStore, (store) => store.change(id, {}, () => ({ outcome: undefined, writes })))
  const store = Effect.flatMap(rotation, (one) => QuickRefresh.store(sql, [one]))
  const heads = Effect.map(
    sql`SELECT count(*)::int AS n FROM refresh_tokens WHERE user_id = ${user.id} AND rotated_at IS NULL`,
    ([found]) => found?.["n"]
  )
  return { app, change, heads, id, presented, rotation, sql, store, tokens, user }
})

describePg("texts", "a refresh that is decided without a lock", () => {
  const run = withStores(migratedPostgres, stores)

  it("is stored while nothing has changed since it was read [tokens-4]", () =>
    run(
      Effect.gen(function* () {
        const made = yield* readOnce
        expect(yield* made.store).toEqual([true])
        expect(yield* made.heads).toBe(1)
      })
    ))

  const at = Timestamp.make(START)
  const changes: Readonly<Record<string, ReadonlyArray<TokenWrite>>> = {
    "the connection ended": [{ _tag: "End", reason: "user_disconnected", at }],
    "its end moved": [{ _tag: "SetEnd", standardExpiresAt: Timestamp.make(START - 1) }],
    "its scopes changed": [{ _tag: "SetScopes", heldScopes: [], sensitiveExpiresAt: null }],
    "another family began": [{ _tag: "StartFamily", familyId: FamilyId.make("fam_another") }],
    "its tokens were revoked, and nothing else": [{ _tag: "RevokeTokens" }]
  }
  for (const [what, writes] of Object.entries(changes)) {
    it(`writes nothing when ${what} after the read [O6, O8]`, () =>
      run(
        Effect.gen(function* () {
          const made = yield* readOnce
          const heads = yield* made.heads
          yield* made.change(...writes)
          expect(yield* made.store).toEqual([false])
          expect(yield* made.heads).toBe(heads)
        })
      ))
  }

  it("writes nothing when another refresh spent the token after the read [O6]", () =>
    run(
      Effect.gen(function* () {
        const made = yield* readOnce
        yield* refreshTokens(made.app, made.tokens.refreshToken)
        expect(yield* made.store).toEqual([false])
        expect(yield* made.heads).toBe(1)
      })
    ))

  it("one statement stores the rotations of several people, and one of two of the same token", () =>
    run(
      Effect.gen(function* () {
        const [one, other] = [yield* readOnce, yield* readOnce]
        const rotations = yield* Effect.all([one.rotation, other.rotation, one.rotation])
        const stored = yield* QuickRefresh.store(one.sql, rotations)
        expect(stored[1]).toBe(true)
        expect([stored[0], stored[2]].filter(Boolean).length).toBe(1)
        expect([yield* one.heads, yield* other.heads]).toEqual([1, 1])
      })
    ))

  it("a connection that somebody has locked is skipped, and the others of the statement are stored", () =>
    run(
      Effect.gen(function* () {
        const [locked, free] = [yield* readOnce, yield* readOnce]
        const [isHeld, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* locked.sql`SELECT 1 FROM connections WHERE user_id = ${locked.user.id} FOR UPDATE`.pipe(
          Effect.zipRight(Deferred.succeed(isHeld, undefined)),
          Effect.zipRight(Deferred.await(release)),
          locked.sql.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(isHeld)
        const rotations = yield* Effect.all([locked.rotation, free.rotation])
        expect(yield* QuickRefresh.store(locked.sql, rotations)).toEqual([false, true])
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
      })
    ))
})
