import { SqlClient } from "@effect/sql/SqlClient"
import { authenticateAccess, exchangeCode, refreshTokens, revokeToken } from "@place-access/domain/tokens"
import { decideConsent, startConsent } from "@place-access/domain/consent"
import { InvalidGrant } from "@place-access/domain/connection"
import { StoreError } from "@place-access/domain/shared"
import { ConsentFlow, Fixtures } from "@place-access/domain/testing"
import { Deferred, Effect, Either, Fiber, Layer, Logger, LogLevel, TestClock } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"
import { tokenStores } from "../support/tokenStores.js"

const stores = Layer.mergeAll(tokenStores, Logger.minimumLogLevel(LogLevel.None))

const people = Effect.gen(function* () {
  const user = yield* Fixtures.user
  return { user, app: yield* Fixtures.app((yield* Fixtures.user).id, { status: "production" }) }
})

const connected = Effect.gen(function* () {
  const { app, user } = yield* people
  const made = yield* ConsentFlow.connect(app, user, ["location.place.current"])
  return { app, user, ...made }
})

const atOnce = <A, E, R>(count: number, program: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, () => Effect.either(program)),
    { concurrency: "unbounded" }
  )

const count = (from: string, of: { readonly user: { readonly id: string } }) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const rows = yield* sql`SELECT count(*)::int AS n FROM ${sql.literal(from)} AND user_id = ${of.user.id}`
    return rows[0]?.["n"]
  })

const LIVE_ACCESS = "access_tokens WHERE revoked_at IS NULL"
const LIVE_REFRESH = "refresh_tokens WHERE revoked_at IS NULL AND rotated_at IS NULL"

describeServers("races of one connection's writers", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("64 parallel refreshes of one token: one rotation, 63 races, one head, no two access tokens alike", () =>
    run(
      Effect.gen(function* () {
        const made = yield* connected
        const answers = yield* atOnce(64, refreshTokens(made.app, made.tokens.refreshToken))
        const grants = answers.filter(Either.isRight).map(({ right }) => right)
        expect(grants.length).toBe(64)
        expect(new Set(grants.map((grant) => grant.refreshToken)).size).toBe(1)
        expect(new Set(grants.map((grant) => grant.accessToken)).size).toBe(64)
        expect(yield* count("refresh_tokens WHERE rotated_at IS NOT NULL", made)).toBe(1)
        expect(yield* count("refresh_tokens WHERE rotated_at IS NULL", made)).toBe(1)
        expect(yield* count("access_tokens WHERE true", made)).toBe(65)
        yield* authenticateAccess(grants[63]!.accessToken)
      })
    ))

  it("20 parallel leaks: the connection ends once, one e-mail, flagged", () =>
    run(
      Effect.gen(function* () {
        const made = yield* connected
        yield* refreshTokens(made.app, made.tokens.refreshToken)
        yield* TestClock.adjust(30_001)
        const answers = yield* atOnce(20, refreshTokens(made.app, made.tokens.refreshToken))
        expect(answers.every((answer) => Either.isLeft(answer) && answer.left instanceof InvalidGrant)).toBe(true)
        expect(yield* count("mail_outbox WHERE dedupe_key LIKE 'refresh_token_reused %'", made)).toBe(1)
        expect(
          yield* count("connections WHERE end_reason = 'refresh_token_reused' AND flagged_at IS NOT NULL", made)
        ).toBe(1)
        expect(yield* count(LIVE_REFRESH, made)).toBe(0)
        expect(yield* count(LIVE_ACCESS, made)).toBe(0)
      })
    ))

  it("refresh against revoke, 60 times: no token survives [O8]", () =>
    run(
      Effect.gen(function* () {
        for (let time = 0; time < 60; time++) {
          const made = yield* connected
          const refresh = Effect.either(refreshTokens(made.app, made.tokens.refreshToken))
          const revoke = revokeToken(made.app, made.tokens.accessToken)
          const [answer] = yield* Effect.all([refresh, revoke], { concurrency: "unbounded" })
          expect(yield* count(LIVE_REFRESH, made)).toBe(0)
          expect(yield* count(LIVE_ACCESS, made)).toBe(0)
          if (Either.isRight(answer)) {
            expect(Either.isLeft(yield* Effect.either(authenticateAccess(answer.right.accessToken)))).toBe(true)
          }
        }
      })
    ))

  it("20 parallel exchanges of one code: one gets tokens, and the second ends the connection [§3.1-code-reuse]", () =>
    run(
      Effect.gen(function* () {
        const { app, user } = yield* people
        const { code } = yield* ConsentFlow.approve(app, user, ["location.place.current"])
        const answers = yield* atOnce(20, ConsentFlow.exchange(app, code))
        expect(answers.filter(Either.isRight).length).toBe(1)
        expect(yield* count("connections WHERE end_reason = 'code_reused'", { user })).toBe(1)
        expect(yield* count(LIVE_REFRESH, { user })).toBe(0)
        expect(yield* count(LIVE_ACCESS, { user })).toBe(0)
      })
    ))

  it("20 parallel exchanges of one code with one key: all get the same refresh token, and each its access token [tokens-1]", () =>
    run(
      Effect.gen(function* () {
        const { app, user } = yield* people
        const { code } = yield* ConsentFlow.approve(app, user, ["location.place.current"])
        const keyed = exchangeCode(app, {
          code,
          codeVerifier: ConsentFlow.VERIFIER,
          redirectUri: app.redirectUris[0] ?? "",
          idempotencyKey: "k-1"
        })
        const answers = yield* atOnce(20, keyed)
        const tokens = answers.flatMap((answer) => (Either.isRight(answer) ? [answer.right] : []))
        expect(tokens.length).toBe(20)
        expect(new Set(tokens.map(({ refreshToken }) => refreshToken)).size).toBe(1)
        expect(new Set(tokens.map(({ accessToken }) => accessToken)).size).toBe(20)
        expect(yield* count(LIVE_REFRESH, { user })).toBe(1)
      })
    ))

  it("an exchange that is repeated with its key after a refresh gives the newest refresh token [tokens-1]", () =>
    run(
      Effect.gen(function* () {
        const { app, user } = yield* people
        const { code } = yield* ConsentFlow.approve(app, user, ["location.place.current"])
        const keyed = exchangeCode(app, {
          code,
          codeVerifier: ConsentFlow.VERIFIER,
          redirectUri: app.redirectUris[0] ?? "",
          idempotencyKey: "k-1"
        })
        const { refreshToken } = yield* refreshTokens(app, (yield* keyed).refreshToken)
        expect((yield* keyed).refreshToken).toBe(refreshToken)
        expect(yield* count(LIVE_REFRESH, { user })).toBe(1)
      })
    ))

  it("two tabs, and both forms posted ten times at once: one connection, one code a form", () =>
    run(
      Effect.gen(function* () {
        const { app, user } = yield* people
        const parameters = yield* ConsentFlow.parameters(app, ["location.place.current"])
        const tabs = [
          yield* startConsent(parameters, ConsentFlow.ISSUER),
          yield* startConsent(parameters, ConsentFlow.ISSUER)
        ]
        const chosen = ConsentFlow.choices({ scopes: ["location.place.current"] })
        const answers = yield* Effect.all(
          Array.from({ length: 20 }, (_, index) =>
            decideConsent(tabs[index % 2]!.id, user, chosen, ConsentFlow.ISSUER, "confirmed")
          ),
          { concurrency: "unbounded" }
        )
        expect(new Set(answers.map(({ redirectTo }) => redirectTo)).size).toBe(2)
        expect(yield* count("connections WHERE true", { user })).toBe(1)
        expect(yield* count("authorization_codes WHERE true", { user })).toBe(2)
        expect(yield* count("subjects WHERE sub <> ''", { user })).toBe(1)
      })
    ))

  it("refresh against a reconnect's exchange, 30 times: only the newest family lives", () =>
    run(
      Effect.gen(function* () {
        for (let time = 0; time < 30; time++) {
          const made = yield* connected
          const { code } = yield* ConsentFlow.approve(made.app, made.user, ["location.place.current"])
          const [, exchanged] = yield* Effect.all(
            [Effect.either(refreshTokens(made.app, made.tokens.refreshToken)), ConsentFlow.exchange(made.app, code)],
            { concurrency: "unbounded" }
          )
          expect(yield* count(LIVE_REFRESH, made)).toBe(1)
          expect(yield* count(LIVE_ACCESS, made)).toBe(1)
          yield* authenticateAccess(exchanged.accessToken)
        }
      })
    ))

  it("a lock that is not had in time is a passing fault of the store, never invalid_grant [O8]", () =>
    run(
      Effect.gen(function* () {
        const made = yield* connected
        const sql = yield* SqlClient
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* sql`SELECT 1 FROM connections WHERE user_id = ${made.user.id} FOR UPDATE`.pipe(
          Effect.zipRight(Deferred.succeed(held, undefined)),
          Effect.zipRight(Deferred.await(release)),
          sql.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(held)
        const answer = yield* Effect.either(refreshTokens(made.app, made.tokens.refreshToken))
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        expect(Either.isLeft(answer) && answer.left instanceof StoreError && answer.left.transient).toBe(true)
        // The first refresh failed only because another transaction had locked the connection. The failure must not
        // have ended the connection, so this second refresh succeeds.
        yield* refreshTokens(made.app, made.tokens.refreshToken)
      })
    ))
})
