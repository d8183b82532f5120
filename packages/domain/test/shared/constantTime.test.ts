import { checkFormToken, formToken, KnownBrowser, PendingSignIn } from "@place-access/domain/accounts"
import { AppStore } from "@place-access/domain/apps"
import { Pkce } from "@place-access/domain/tokens"
import { AppId, Cursor, Timestamp, UserId, Vault } from "@place-access/domain/shared"
import { Fixtures, MemoryEntropy, MemoryVault } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer, Option } from "effect"
import { appOf } from "../support/apps.js"

/**
 * Only the vault may compare secrets, because it compares in constant time. In these tests, the vault says that no two
 * values are equal. So code that still accepts a right secret has compared it without the vault.
 */
const honest = MemoryVault.make(["k1"])
const blind: typeof Vault.Vault.Service = { ...honest, equal: () => false }

const VERIFIER = Pkce.Verifier.make("a-verifier-that-is-long-enough-0123456789-abcdef")
const APP = AppId.make("app_1")
const USER = UserId.make("usr_1")
const registered = {
  app: appOf({ id: APP }),
  secrets: [{ appId: APP, hash: honest.sha256("secret"), createdAt: Timestamp.make(0), expiresAt: null }]
}

/** For each comparison of a secret: whether it accepts the right secret with this vault. */
const accepts: Readonly<Record<string, (vault: typeof Vault.Vault.Service) => boolean>> = {
  "the verifier of a code": (vault) => Pkce.matches(vault, VERIFIER, Pkce.Challenge.make(honest.s256(VERIFIER))),
  "the mark of a cursor": (vault) =>
    Effect.runSync(
      Effect.gen(function* () {
        const cursor = yield* Cursor.seal([1, "a"], "query")
        return Either.isRight(yield* Effect.either(Cursor.open(cursor, "query")))
      }).pipe(Effect.provideService(Vault.Vault, vault))
    ),
  "the token of a form": (vault) =>
    Effect.runSync(
      Effect.flatMap(formToken("cookie"), (token) => checkFormToken("cookie", token)).pipe(
        Effect.provideService(Vault.Vault, vault)
      )
    ),
  "the token of a pending sign-in": (vault) =>
    Effect.runSync(
      Effect.gen(function* () {
        const token = yield* PendingSignIn.sign(PendingSignIn.begin(USER, 1, Timestamp.make(0)))
        return Option.isSome(yield* PendingSignIn.read(token, Timestamp.make(1)))
      }).pipe(Effect.provideService(Vault.Vault, vault))
    ),
  "the cookie of a known browser": (vault) =>
    Effect.runSync(
      Effect.gen(function* () {
        const cookie = yield* KnownBrowser.issueCookie({ userId: USER, passwordVersion: 1 }, [], yield* Timestamp.now)
        return (yield* KnownBrowser.readCookie(cookie)).length === 1
      }).pipe(Effect.provideService(Vault.Vault, vault), Effect.provide(MemoryEntropy.layer))
    ),
  "the secret of a client": (vault) =>
    Effect.runSync(
      Fixtures.authenticateClient(APP, "secret").pipe(
        Effect.provideService(Vault.Vault, vault),
        Effect.provide(Layer.mock(AppStore, { findRegistered: () => Effect.succeed(Option.some(registered)) })),
        Effect.isSuccess
      )
    )
}

describe.each(Object.entries(accepts))("%s", (_, isAccepted) => {
  it("is compared by the vault, in constant time, and by nothing else", () => {
    expect(isAccepted(honest)).toBe(true)
    expect(isAccepted(blind)).toBe(false)
  })
})
