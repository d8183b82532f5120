import { SqlRetentionStore } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { disconnect } from "@place-access/domain/connection"
import { ConnectionId, Timestamp, Vault } from "@place-access/domain/shared"
import { RetentionStore } from "@place-access/domain/sweeps"
import { refreshTokens, TokenStore } from "@place-access/domain/tokens"
import { ConsentFlow, Fixtures } from "@place-access/domain/testing"
import { Effect, Layer, Option, TestClock } from "effect"
import { describe, expect, it } from "vitest"
import { withStores } from "../support/contracts.js"
import { migratedEmbedded } from "../support/embedded.js"
import { tokenStores } from "../support/tokenStores.js"

const stores = Layer.mergeAll(tokenStores, SqlRetentionStore.layer)

const SPENT = 2_500

/** A connection whose app has refreshed thousands of times, and the oldest refresh token of the connection. */
const refreshedOften = Effect.gen(function* () {
  const sql = yield* SqlClient
  const user = yield* Fixtures.user
  const app = yield* Fixtures.app((yield* Fixtures.user).id, { status: "production" })
  const { tokens } = yield* ConsentFlow.connect(app, user, ["location.place.current"])
  yield* refreshTokens(app, tokens.refreshToken)
  yield* sql`UPDATE refresh_tokens SET link = ${SPENT} WHERE user_id = ${user.id} AND rotated_at IS NULL`
  yield* sql`INSERT INTO refresh_tokens (user_id, token_hash, connection_id, family_id, issued_at, link, rotated_at,
               nonce, key_id)
             SELECT user_id, lpad(to_hex(n), 64, '0'), connection_id, family_id, issued_at, n, rotated_at, nonce, key_id
             FROM refresh_tokens, generate_series(1, ${SPENT - 1}::integer) n
             WHERE user_id = ${user.id} AND rotated_at IS NOT NULL`
  yield* TestClock.adjust("1 hour")
  const rows = (condition: string) =>
    Effect.map(
      sql`SELECT count(*)::integer AS n FROM refresh_tokens
          WHERE user_id = ${user.id} AND ${sql.literal(condition)}`,
      ([found]) => found?.["n"]
    )
  const id = ConnectionId.make(tokens.refreshToken.split(".")[1] ?? "")
  return { id, oldest: tokens.refreshToken, rows, user }
})

describe("a connection with thousands of spent refresh tokens", () => {
  const run = withStores(migratedEmbedded, stores)

  it("ends with one changed refresh token, and retention then deletes the spent ones [O6, sweeps-2]", () =>
    run(
      Effect.gen(function* () {
        const { id, rows, user } = yield* refreshedOften
        yield* disconnect(user.id, id)
        expect([yield* rows("revoked_at IS NOT NULL"), yield* rows("revoked_at IS NULL")]).toEqual([1, SPENT])
        const retention = yield* RetentionStore
        const sweep = Effect.flatMap(Timestamp.now, (now) => retention.remove("refresh_tokens", now, 1_000))
        expect([yield* sweep, yield* sweep, yield* sweep]).toEqual([1_000, 1_000, SPENT + 1 - 2_000])
        expect(yield* rows("true")).toBe(0)
      })
    ))

  it("is read as one token when its oldest token is presented [O6]", () =>
    run(
      Effect.gen(function* () {
        const { id, oldest } = yield* refreshedOften
        const refresh = (yield* Vault.Vault).sha256(oldest)
        const chain = yield* (yield* TokenStore).change(id, { refresh }, (state) => ({
          outcome: state.chain.length,
          writes: []
        }))
        expect(chain).toEqual(Option.some(1))
      })
    ))

  it("is deleted when an earlier release marked the spent tokens too [sweeps-2]", () =>
    run(
      Effect.gen(function* () {
        const { id, rows, user } = yield* refreshedOften
        const sql = yield* SqlClient
        yield* disconnect(user.id, id)
        yield* sql`UPDATE refresh_tokens r SET revoked_at = c.ended_at FROM connections c
                   WHERE r.user_id = ${user.id} AND c.user_id = r.user_id`
        const retention = yield* RetentionStore
        const sweep = Effect.flatMap(Timestamp.now, (now) => retention.remove("refresh_tokens", now, 1_000))
        expect([yield* sweep, yield* sweep, yield* sweep]).toEqual([1_000, 1_000, SPENT + 1 - 2_000])
        expect(yield* rows("true")).toBe(0)
      })
    ))
})
