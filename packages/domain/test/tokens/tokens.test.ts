import type { App } from "@place-access/domain/apps"
import {
  authenticateAccess,
  exchangeCode,
  LeakNotice,
  refreshTokens,
  revokeToken,
  TokenStore
} from "@place-access/domain/tokens"
import { disconnect, InvalidGrant } from "@place-access/domain/connection"
import { StoreError, Timestamp, Vault } from "@place-access/domain/shared"
import { ConsentFlow, MemoryDatabase, MemoryVault } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, TestClock } from "effect"
import { inWorld, leakMails, pair, purpose } from "../support/connections.js"
import { decide, request } from "../support/consents.js"

const CURRENT = "location.place.current"
const { DAY } = Timestamp

const connected = Effect.gen(function* () {
  const { app, user } = yield* pair()
  return { app, user, ...(yield* ConsentFlow.connect(app, user, [CURRENT])) }
})

const refused = (answer: Either.Either<unknown, unknown>) =>
  Either.isLeft(answer) && answer.left instanceof InvalidGrant ? answer.left.reason : "not refused"

const ended = (id: string) =>
  Effect.map(MemoryDatabase, ({ connections }) => connections.get(id as never)?.endReason ?? "live")

describe("tokens", () => {
  it("are opaque, of 256 random bits, name their kind and connection, and never the user [O5]", () =>
    inWorld(
      Effect.gen(function* () {
        const { connectionId, tokens, user } = yield* connected
        expect(tokens.accessToken).toMatch(/^pa_at\.con_[0-9a-z]{24}\.[0-9a-z]{52}$/)
        expect(tokens.refreshToken).toMatch(/^pa_rt\.con_[0-9a-z]{24}\.[\w-]{43}$/)
        expect(tokens.accessToken).toContain(connectionId)
        expect(tokens.accessToken).not.toContain(user.id)
      })
    ))

  it("rest as digests: nothing stored is, or holds, a token or code [§2.1-access-token, §2.1-refresh-token]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code, tokens } = yield* connected
        const { refreshToken } = yield* refreshTokens(app, tokens.refreshToken)
        const tables = yield* MemoryDatabase
        const stored = JSON.stringify([
          ...tables.codes.values(),
          ...tables.accessTokens.values(),
          ...tables.refreshTokens.values(),
          ...tables.connections.values(),
          ...tables.consentRequests.values()
        ])
        for (const token of [code, tokens.accessToken, tokens.refreshToken, refreshToken]) {
          expect(stored).not.toContain(token.split(".")[2])
        }
      })
    ))

  it("the answer carries the tiers' ends and the effective scopes [§4.3]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        yield* purpose(app, "find_coffee", ["location.lookup"])
        const now = yield* Timestamp.now
        const { tokens } = yield* ConsentFlow.connect(app, user, [CURRENT, "location.lookup"], {
          standardDays: "never",
          sensitiveDays: "7"
        })
        expect(tokens).toMatchObject({
          expiresIn: 3600,
          refreshTokenExpiresAt: null,
          sensitiveScopesExpireAt: now + 7 * DAY,
          scopes: [CURRENT, "location.lookup"]
        })
        yield* TestClock.adjust(7 * DAY)
        const lapsed = yield* refreshTokens(app, tokens.refreshToken)
        expect([lapsed.sensitiveScopesExpireAt, lapsed.scopes]).toEqual([now + 7 * DAY, [CURRENT]])
        yield* TestClock.adjust(14 * DAY)
        const removed = yield* refreshTokens(app, lapsed.refreshToken)
        expect([removed.sensitiveScopesExpireAt, removed.scopes]).toEqual([null, [CURRENT]])
      })
    ))
})

describe("refresh [O6]", () => {
  it("rotates: a new refresh token every time, the access tokens before live on [§2.1-refresh-token]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, tokens } = yield* connected
        const next = yield* refreshTokens(app, tokens.refreshToken)
        expect(next.refreshToken).not.toBe(tokens.refreshToken)
        yield* authenticateAccess(tokens.accessToken)
        yield* authenticateAccess(next.accessToken)
      })
    ))

  it("the spent token 30.000 s later is a race: the head again, with an access token of its own [§4.3.2, §8-refresh-race]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, tokens } = yield* connected
        const second = yield* refreshTokens(app, tokens.refreshToken)
        const third = yield* refreshTokens(app, second.refreshToken)
        yield* TestClock.adjust(30_000)
        const raced = yield* refreshTokens(app, tokens.refreshToken)
        expect(raced.refreshToken).toBe(third.refreshToken)
        expect(raced.accessToken).not.toBe(third.accessToken)
        yield* refreshTokens(app, raced.refreshToken)
      })
    ))

  it("the spent token 30.001 s later is a leak: everything ends, one e-mail, the connection is flagged [§3.1-leak, §8-refresh-race]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, tokens, user } = yield* connected
        const second = yield* refreshTokens(app, tokens.refreshToken)
        yield* TestClock.adjust(30_001)
        expect(refused(yield* Effect.either(refreshTokens(app, tokens.refreshToken)))).toBe("leaked")
        expect(yield* ended(connectionId)).toBe("refresh_token_reused")
        expect(refused(yield* Effect.either(refreshTokens(app, second.refreshToken)))).toBe("revoked")
        expect(Either.isLeft(yield* Effect.either(authenticateAccess(second.accessToken)))).toBe(true)
        const tables = yield* MemoryDatabase
        expect(tables.flagged.get(connectionId)).toBe(yield* Timestamp.now)
        const mails = yield* leakMails
        const [mail] = mails
        expect([mails.length, mail?.to]).toEqual([1, user.id])
        expect(mail?.subject).toContain(app.name)
        expect(`${mail?.subject} ${mail?.body}`).not.toMatch(/pa_|con_/)
      })
    ))

  it("a spent token of before a reconnect fails quietly at each use: no end, no e-mail [§4.3.2]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, tokens, user } = yield* connected
        yield* refreshTokens(app, tokens.refreshToken)
        yield* ConsentFlow.connect(app, user, [CURRENT])
        for (const wait of [0, 30_001, DAY]) {
          yield* TestClock.adjust(wait)
          expect(refused(yield* Effect.either(refreshTokens(app, tokens.refreshToken)))).toBe("revoked")
        }
        expect(yield* ended(connectionId)).toBe("live")
        expect(yield* leakMails).toEqual([])
      })
    ))

  it("the standard tier's end is exclusive; from then on the connection is ended as expired, at that date", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, tokens } = yield* connected
        const end = tokens.refreshTokenExpiresAt ?? 0
        yield* TestClock.setTime(end - 1)
        const last = yield* refreshTokens(app, tokens.refreshToken)
        yield* TestClock.setTime(end)
        expect(refused(yield* Effect.either(refreshTokens(app, last.refreshToken)))).toBe("standard_tier_passed")
        const connection = (yield* MemoryDatabase).connections.get(connectionId)
        expect([connection?.endReason, connection?.endedAt]).toEqual(["expired", end])
      })
    ))

  it("another app's token, an access token, a code, nonsense: refused without any effect", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code, connectionId, tokens } = yield* connected
        const { app: other } = yield* pair()
        expect(refused(yield* Effect.either(refreshTokens(other, tokens.refreshToken)))).toBe("of_another_app")
        for (const text of [tokens.accessToken, code, "", "nonsense", `${tokens.refreshToken}x`]) {
          expect(refused(yield* Effect.either(refreshTokens(app, text)))).not.toBe("not refused")
        }
        expect(yield* ended(connectionId)).toBe("live")
        yield* refreshTokens(app, tokens.refreshToken)
      })
    ))

  it("a race over a key rotation finds the head: each child is derived with the key that its parent names", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, tokens } = yield* connected
        const older = Effect.provideService(Vault.Vault, MemoryVault.make(["k1"]))
        const second = yield* refreshTokens(app, tokens.refreshToken).pipe(older)
        const third = yield* refreshTokens(app, second.refreshToken)
        expect((yield* refreshTokens(app, tokens.refreshToken)).refreshToken).toBe(third.refreshToken)
      })
    ))

  it("an app that an admin revoked gets nothing", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, tokens } = yield* connected
        ;(yield* MemoryDatabase).apps.set(app.id, { app: { ...app, revokedAt: Timestamp.make(1) }, secrets: [] })
        expect(refused(yield* Effect.either(refreshTokens(app, tokens.refreshToken)))).toBe("revoked")
        expect(Either.isLeft(yield* Effect.either(authenticateAccess(tokens.accessToken)))).toBe(true)
      })
    ))
})

describe("code exchange [O7]", () => {
  const approved = Effect.gen(function* () {
    const { app, user } = yield* pair()
    return { app, user, ...(yield* ConsentFlow.approve(app, user, [CURRENT])) }
  })

  it.each([
    [59_999, true],
    [60_000, false]
  ])("%d ms after the decision: good is %s [§2.1-code, §8-code]", (age, good) =>
    inWorld(
      Effect.gen(function* () {
        const { app, code } = yield* approved
        yield* TestClock.adjust(age)
        expect(Either.isRight(yield* Effect.either(ConsentFlow.exchange(app, code)))).toBe(good)
      })
    )
  )

  it("the 60 seconds begin with the user's decision, however long the consent page was open before [§2.1-code]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const codeAfterTenMinutes = Effect.gen(function* () {
          const page = yield* request(app, [CURRENT])
          yield* TestClock.adjust("10 minutes")
          const { redirectTo } = Either.getOrThrow(yield* decide(page, user, { scopes: [CURRENT] }))
          return ConsentFlow.answer(redirectTo)["code"] ?? "no code"
        })
        const first = yield* codeAfterTenMinutes
        yield* TestClock.adjust("59 seconds")
        yield* ConsentFlow.exchange(app, first)
        const second = yield* codeAfterTenMinutes
        yield* TestClock.adjust("60 seconds")
        expect(refused(yield* Effect.either(ConsentFlow.exchange(app, second)))).not.toBe("not refused")
      })
    ))

  it.each([
    ["a wrong verifier", { codeVerifier: `${ConsentFlow.VERIFIER}x` }, "verifier_differs"],
    ["a verifier of 42 characters", { codeVerifier: "x".repeat(42) }, "verifier_differs"],
    ["no verifier", { codeVerifier: "" }, "verifier_differs"],
    ["another redirect URI", { redirectUri: "https://coffee.example/" }, "redirect_uri_differs"]
  ])("%s is refused and does not use the code up", (_, change, why) =>
    inWorld(
      Effect.gen(function* () {
        const { app, code } = yield* approved
        const sent = { code, codeVerifier: ConsentFlow.VERIFIER, redirectUri: app.redirectUris[0] ?? "", ...change }
        for (let time = 0; time < 3; time++) {
          expect(refused(yield* Effect.either(exchangeCode(app, sent)))).toBe(why)
        }
        yield* ConsentFlow.exchange(app, code)
      })
    )
  )

  it("another app's code is refused and does not use it up", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code } = yield* approved
        const { app: other } = yield* pair()
        expect(refused(yield* Effect.either(ConsentFlow.exchange(other, code)))).toBe("of_another_app")
        yield* ConsentFlow.exchange(app, code)
      })
    ))

  it.each([0, 30_000, 60_000, 3 * DAY])(
    "a second exchange %d ms later ends what the first issued: the connection is flagged, one e-mail [§3.1-code-reuse, M9]",
    (later) =>
      inWorld(
        Effect.gen(function* () {
          const { app, code, connectionId, user } = yield* approved
          const tokens = yield* ConsentFlow.exchange(app, code)
          yield* TestClock.adjust(later)
          yield* reused(app, code, connectionId)
          expect(refused(yield* Effect.either(refreshTokens(app, tokens.refreshToken)))).toBe("revoked")
          const [mail] = yield* leakMails
          expect(mail?.to).toBe(user.id)
          expect(`${mail?.subject} ${mail?.body}`).not.toMatch(/pa_|con_/)
          // The connection has ended, so its code gives no tokens.
          expect(refused(yield* Effect.either(ConsentFlow.exchange(app, code)))).toBe("connection_ended")
          expect((yield* leakMails).length).toBe(1)
        })
      )
  )

  const reused = (app: App.App, code: string, connectionId: string) =>
    Effect.gen(function* () {
      expect(refused(yield* Effect.either(ConsentFlow.exchange(app, code)))).toBe("used")
      expect(yield* ended(connectionId)).toBe("code_reused")
      expect((yield* MemoryDatabase).flagged.get(connectionId as never)).toBe(yield* Timestamp.now)
      expect((yield* leakMails).length).toBe(1)
    })

  const keyed = (app: App.App, code: string, idempotencyKey: string) =>
    exchangeCode(app, {
      code,
      codeVerifier: ConsentFlow.VERIFIER,
      redirectUri: app.redirectUris[0] ?? "",
      idempotencyKey
    })

  it("the same exchange with the same key within 30.000 s gives the same refresh token, and an access token of its own [tokens-1]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code, connectionId } = yield* approved
        const first = yield* keyed(app, code, "k-1").pipe(Effect.provideService(Vault.Vault, MemoryVault.make(["k1"])))
        yield* TestClock.adjust(30_000)
        const second = yield* keyed(app, code, "k-1")
        expect(second).toEqual({ ...first, accessToken: second.accessToken })
        expect(second.accessToken).not.toBe(first.accessToken)
        for (const { accessToken } of [first, second]) yield* authenticateAccess(accessToken)
        yield* refreshTokens(app, second.refreshToken)
        expect(yield* ended(connectionId)).toBe("live")
        expect(yield* leakMails).toEqual([])
      })
    ))

  it("an exchange that is repeated after refreshes gives the newest refresh token, which can be refreshed an hour later [tokens-1]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code, connectionId } = yield* approved
        const first = yield* keyed(app, code, "k-1")
        yield* TestClock.adjust(5_000)
        const second = yield* refreshTokens(app, first.refreshToken)
        yield* TestClock.adjust(5_000)
        const third = yield* refreshTokens(app, second.refreshToken)
        yield* TestClock.adjust(20_000)
        const repeated = yield* keyed(app, code, "k-1")
        expect(repeated.refreshToken).toBe(third.refreshToken)
        yield* TestClock.adjust(3_600_000)
        yield* refreshTokens(app, repeated.refreshToken)
        expect(yield* ended(connectionId)).toBe("live")
        expect(yield* leakMails).toEqual([])
      })
    ))

  it("an exchange is repeated although a server whose clock is behind refreshed its token [tokens-1]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code } = yield* approved
        const first = yield* keyed(app, code, "k-1")
        const at = yield* Timestamp.now
        yield* TestClock.setTime(at - 200)
        const second = yield* refreshTokens(app, first.refreshToken)
        yield* TestClock.setTime(at + 29_900)
        const repeated = yield* keyed(app, code, "k-1")
        expect(repeated.refreshToken).toBe(second.refreshToken)
      })
    ))

  it.each([
    ["the same key after 30.001 s", "k-1", 30_001],
    ["another key", "k-2", 0],
    ["no key", null, 0]
  ] as const)("an exchange with a key, and again with %s, is a reuse [§3.1-code-reuse, tokens-1]", (_, key, later) =>
    inWorld(
      Effect.gen(function* () {
        const { app, code, connectionId } = yield* approved
        yield* keyed(app, code, "k-1")
        yield* TestClock.adjust(later)
        const second = key === null ? ConsentFlow.exchange(app, code) : keyed(app, code, key)
        expect(refused(yield* Effect.either(second))).toBe("used")
        expect(yield* ended(connectionId)).toBe("code_reused")
      })
    )
  )

  it("two exchanges at the same time: one gets tokens, the other ends what they are worth [§2.1-code]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code, connectionId } = yield* approved
        const both = yield* Effect.all(
          [1, 2].map(() => Effect.either(ConsentFlow.exchange(app, code))),
          {
            concurrency: "unbounded"
          }
        )
        expect(both.filter(Either.isRight).length).toBe(1)
        expect(yield* ended(connectionId)).toBe("code_reused")
      })
    ))

  it("an exchange whose commit was done, but not confirmed by the database, still answers with working tokens [tokens-1]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code, connectionId } = yield* approved
        const store = yield* TokenStore
        let isFirst = true
        const unconfirmed = TokenStore.of({
          ...store,
          change: (id, presented, decide) =>
            Effect.flatMap(store.change(id, presented, decide), (outcome) => {
              if (!isFirst) return Effect.succeed(outcome)
              isFirst = false
              return Effect.fail(StoreError.unavailable("the answer to COMMIT was lost"))
            })
        })
        const tokens = yield* ConsentFlow.exchange(app, code).pipe(Effect.provideService(TokenStore, unconfirmed))
        yield* authenticateAccess(tokens.accessToken)
        yield* refreshTokens(app, tokens.refreshToken)
        expect(yield* ended(connectionId)).toBe("live")
      })
    ))

  it("after an exchange nobody else learns anything: a wrong verifier, redirect URI or client is refused and ends nothing", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code, connectionId } = yield* approved
        const { app: other } = yield* pair()
        yield* ConsentFlow.exchange(app, code)
        const sent = { code, codeVerifier: ConsentFlow.VERIFIER, redirectUri: app.redirectUris[0] ?? "" }
        const tries = [
          exchangeCode(app, { ...sent, codeVerifier: `${ConsentFlow.VERIFIER}x` }),
          exchangeCode(app, { ...sent, redirectUri: "https://coffee.example/" }),
          exchangeCode(other, sent)
        ]
        for (const one of tries) expect(refused(yield* Effect.either(one))).not.toBe("not refused")
        expect(yield* ended(connectionId)).toBe("live")
      })
    ))

  it("a second exchange of a code from before a reconnect leaves the reconnected alone", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code, connectionId, user } = yield* approved
        yield* ConsentFlow.exchange(app, code)
        const { tokens } = yield* ConsentFlow.connect(app, user, [CURRENT])
        expect(refused(yield* Effect.either(ConsentFlow.exchange(app, code)))).toBe("used")
        expect(yield* ended(connectionId)).toBe("live")
        yield* refreshTokens(app, tokens.refreshToken)
      })
    ))

  it("a code of a connection that the user ended meanwhile is refused", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, user } = yield* connected
        const { code } = yield* ConsentFlow.approve(app, user, [CURRENT])
        yield* disconnect(user.id, connectionId)
        expect(refused(yield* Effect.either(ConsentFlow.exchange(app, code)))).toBe("connection_ended")
      })
    ))
})

describe("revoke [§4.3.4]", () => {
  it.each([
    ["an access token", ({ accessToken }: { accessToken: string }) => accessToken],
    ["a refresh token", ({ refreshToken }: { refreshToken: string }) => refreshToken]
  ])("by %s, expired or spent ones too: the connection ends", (_, pick) =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, tokens } = yield* connected
        yield* refreshTokens(app, tokens.refreshToken)
        yield* TestClock.adjust("2 hours")
        yield* revokeToken(app, pick(tokens))
        expect(yield* ended(connectionId)).toBe("app_revoked_token")
        yield* revokeToken(app, pick(tokens))
        expect(yield* leakMails).toEqual([])
      })
    )
  )

  it("by a token of before a reconnect, another app, a code or nonsense: no effect [tokens-2]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code, connectionId, tokens: old, user } = yield* connected
        const { tokens } = yield* ConsentFlow.connect(app, user, [CURRENT])
        const { app: other } = yield* pair()
        for (const text of [old.accessToken, old.refreshToken, code, "nonsense", ""]) yield* revokeToken(app, text)
        yield* revokeToken(other, tokens.accessToken)
        expect(yield* ended(connectionId)).toBe("live")
      })
    ))

  it("of an app that an admin revoked, before a worker got to it: ended by the admin, at that time", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, tokens } = yield* connected
        const { apps, connections } = yield* MemoryDatabase
        const revokedAt = yield* Timestamp.now
        apps.set(app.id, { app: { ...app, revokedAt }, secrets: [] })
        yield* TestClock.adjust("30 seconds")
        yield* revokeToken(app, tokens.accessToken)
        const { endReason, endedAt } = connections.get(connectionId)!
        expect([endReason, endedAt]).toEqual(["admin_revoked", revokedAt])
      })
    ))
})

it("the leak's e-mail names the app, tells what happened and what to do, and is one per connection", () =>
  inWorld(
    Effect.gen(function* () {
      const { app, connectionId } = yield* connected
      const connection = (yield* MemoryDatabase).connections.get(connectionId)!
      const name = "Coffee\nFinder" as typeof app.name
      for (const leak of ["refresh_token_reused", "code_reused"] as const) {
        const message = LeakNotice.message(leak, { app: { ...app, name }, connection })
        expect(message.subject).toBe("Coffee Finder was disconnected from your places")
        expect(message.dedupeKey).toContain(connectionId)
        expect(message.body).toMatch(/disconnected/)
        expect(message.body).toMatch(/connect it again/)
        expect(message.link).toMatchObject({ site: "portal", path: `/connections/${connectionId}` })
        expect(JSON.stringify(message.naming)).toMatch(/We disconnected an app from your account/)
        expect(JSON.stringify(message.naming)).not.toContain("Coffee")
      }
    })
  ))
