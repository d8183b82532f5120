import type { Connection } from "@place-access/domain/connection"
import { RedirectUri } from "@place-access/domain/apps"
import { AppId, ConnectionId, FamilyId, Sub, Timestamp, UserId, type Vault } from "@place-access/domain/shared"
import { MemoryVault } from "@place-access/domain/testing"
import {
  Caller,
  CodeExchange,
  LeakNotice,
  Pkce,
  RefreshDecision,
  Revocation,
  type TokenFamily
} from "@place-access/domain/tokens"
import type { AuthorizationCode, Locked } from "@place-access/domain/tokens"
import { describe, expect, it } from "@effect/vitest"
import { Either, Option } from "effect"
import { appOf } from "../support/apps.js"

/**
 * Tests of decisions about tokens, with states that no test can reach through a store, or that last only for a moment.
 */

const { DAY, SECOND } = Timestamp
const NOW = Timestamp.make(Date.UTC(2026, 5, 1, 10))
const at = (millis: number) => Timestamp.plus(NOW, millis)

const vault = MemoryVault.make(["key"])
const hash = (text: string): Vault.Hash => vault.sha256(text)
const APP = AppId.make("app_1")
const FAMILY = FamilyId.make("fam_1")
const VERIFIER = "a-verifier-that-is-long-enough-for-the-rules-01"
const CALLBACK = RedirectUri.RedirectUri.make("https://app.example/callback")

const connection = (overrides: Partial<Connection.Connection> = {}): Connection.Connection => ({
  userId: UserId.make("usr_1"),
  id: ConnectionId.make("con_1"),
  appId: APP,
  sub: Sub.make("sub_1"),
  externalUserId: null,
  heldScopes: ["location.place.current", "location.lookup"],
  agreedScopes: ["location.place.current", "location.lookup"],
  pause: null,
  placesVersion: 1,
  places: [],
  standardExpiresAt: null,
  sensitiveExpiresAt: null,
  connectedAt: at(-DAY),
  endedAt: null,
  endReason: null,
  familyId: FAMILY,
  ...overrides
})

const ROTATION = { nonce: "nonce", keyId: "key" as Vault.KeyId }
const ids = { userId: UserId.make("usr_1"), connectionId: ConnectionId.make("con_1"), familyId: FAMILY }
const access: TokenFamily.AccessToken = { ...ids, hash: hash("access"), issuedAt: at(-SECOND), revokedAt: null }
const refresh: TokenFamily.RefreshToken = { ...access, hash: hash("refresh"), rotation: null }
const spent: TokenFamily.RefreshToken = { ...refresh, rotation: { ...ROTATION, at: at(-DAY) } }
/** The token family of the connection after the user consented a second time. */
const NEXT = FamilyId.make("fam_2")
const code: AuthorizationCode.AuthorizationCode = {
  ...ids,
  familyId: null,
  hash: hash("code"),
  appId: APP,
  redirectUri: CALLBACK,
  challenge: Pkce.Challenge.make(vault.s256(VERIFIER)),
  createdAt: at(-SECOND),
  exchange: null
}

const state = (overrides: Partial<Locked> = {}): Locked => ({
  connection: connection(),
  app: appOf({ id: APP }),
  code: Option.some(code),
  chain: [refresh],
  access: Option.some(access),
  ...overrides
})

const ENDED = { endedAt: at(-SECOND), endReason: "user_disconnected" } as const
const EXPIRED = connection({ standardExpiresAt: at(-1) })
const END = { _tag: "End", reason: "expired", at: at(-1) }
const TIER_PASSED = { outcome: { _tag: "Refused", why: "standard_tier_passed" }, writes: [END] }

describe("a refresh", () => {
  const decide = (overrides: Partial<Locked> = {}) => {
    const offer = { appId: APP, childHash: hash("child"), rotation: ROTATION, accessHash: hash("new access") }
    return RefreshDecision.decide(offer, state(overrides), NOW)
  }

  it("a refresh with the head of the chain rotates", () => {
    expect(decide().outcome._tag).toBe("Rotated")
  })

  it.each([
    ["unknown", { chain: [] }],
    ["of_another_app", { connection: connection({ appId: AppId.make("app_2") }) }],
    ["revoked", { chain: [{ ...refresh, revokedAt: at(-1) }] }],
    ["revoked", { connection: connection(ENDED) }],
    ["revoked", { app: appOf({ id: APP, revokedAt: at(-1) }) }],
    ["revoked", { connection: connection({ familyId: NEXT }) }],
    ["revoked", { chain: [spent], connection: connection({ familyId: NEXT }) }],
    ["revoked", { chain: [spent], connection: connection({ familyId: null }) }],
    ["revoked", { chain: [spent], connection: connection(ENDED) }],
    ["suspended", { isSuspended: true }]
  ] as const)("is refused as %s and writes nothing: %j", (why, overrides) => {
    expect(decide(overrides)).toEqual({ outcome: { _tag: "Refused", why }, writes: [] })
  })

  it("after the standard tier ends the connection at that date", () => {
    expect(decide({ connection: EXPIRED })).toEqual(TIER_PASSED)
  })

  it("of an account that is suspended changes nothing, not even after the standard tier", () => {
    expect(decide({ connection: EXPIRED, isSuspended: true }).writes).toEqual([])
  })
})

describe("an exchange of a code", () => {
  const offer: CodeExchange.CodeOffer = {
    appId: APP,
    redirectUri: CALLBACK,
    verifier: VERIFIER,
    familyId: FamilyId.make("fam_new"),
    accessHash: hash("new access"),
    refreshHash: hash("new refresh"),
    exchange: ROTATION
  }
  const decide = (overrides: Partial<Locked> = {}) => CodeExchange.decide(vault, offer, state(overrides), NOW)

  it("the first exchange of a code issues tokens", () => {
    expect(decide().outcome._tag).toBe("Issued")
  })

  it.each([
    ["unknown", { code: Option.none() }],
    ["connection_ended", { connection: connection(ENDED) }],
    ["connection_ended", { app: appOf({ id: APP, revokedAt: at(-1) }) }],
    ["suspended", { isSuspended: true }]
  ] as const)("is refused as %s and writes nothing: %j", (why, overrides) => {
    expect(decide(overrides)).toEqual({ outcome: { _tag: "Refused", why }, writes: [] })
  })

  it("after the standard tier ends the connection at that date", () => {
    expect(decide({ connection: EXPIRED })).toEqual(TIER_PASSED)
  })
})

describe("a request to revoke", () => {
  const decide = (overrides: Partial<Locked>) => Revocation.decide(APP, state(overrides), NOW)

  it("ends the connection, and says so", () => {
    expect(decide({})).toEqual({ outcome: "ended", writes: [{ _tag: "End", reason: "app_revoked_token", at: NOW }] })
    expect(decide({ chain: [] }).outcome).toBe("ended")
  })

  it.each([
    ["that ended", { connection: connection(ENDED) }],
    ["by a revoked token", { chain: [{ ...refresh, revokedAt: at(-1) }] }],
    ["by a spent token of an earlier family", { chain: [spent], connection: connection({ familyId: NEXT }) }],
    ["by an access token of an earlier family", { chain: [], connection: connection({ familyId: NEXT }) }],
    ["by a token from before a consent whose code was not exchanged", { connection: connection({ familyId: null }) }],
    ["by no token", { chain: [], access: Option.none() }],
    ["of another app", { connection: connection({ appId: AppId.make("app_2") }) }]
  ] as const)("has no effect on a connection, and says so: %s [tokens-2]", (_, overrides) => {
    expect(decide(overrides)).toEqual({ outcome: "no_effect", writes: [] })
  })
})

describe("a call with an access token", () => {
  it("of an account that is suspended is refused, and its token stays as it is", () => {
    const found = { app: appOf({ id: APP }), connection: connection(), token: access }
    expect(Either.isRight(Caller.admit(found, NOW))).toBe(true)
    expect(Either.flip(Caller.admit({ ...found, isSuspended: true }, NOW))).toMatchObject({
      right: { _tag: "Suspended", known: { userId: "usr_1", connectionId: "con_1", appId: "app_1" } }
    })
  })
})

describe("the mail about a leak", () => {
  it.each([
    ["code_reused", "A code that the app had already used"],
    ["refresh_token_reused", "A token that the app had already used"]
  ] as const)("names what was presented again: %s", (leak, words) => {
    const { body } = LeakNotice.message(leak, { app: appOf({ id: APP }), connection: connection() })
    expect(body).toContain(words)
  })
})
