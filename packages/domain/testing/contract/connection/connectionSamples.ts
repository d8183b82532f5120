import { Effect, Option } from "effect"
import type { Account } from "../../../src/accounts/Account.js"
import type { AccountStore } from "../../../src/accounts/AccountStore.js"
import type { App } from "../../../src/apps/App.js"
import type { AppStore } from "../../../src/apps/AppStore.js"
import { RedirectUri } from "../../../src/apps/RedirectUri.js"
import type { AuthorizationCode } from "../../../src/tokens/AuthorizationCode.js"
import type { Connection, SharedPlace } from "../../../src/connection/Connection.js"
import { ConnectionStore } from "../../../src/connection/ConnectionStore.js"
import { type ApprovalState, ConsentStore } from "../../../src/consent/ConsentStore.js"
import {
  type ConsentRequest,
  type DecidedConsent,
  ExternalUserId,
  ConsentRequestState
} from "../../../src/consent/ConsentRequest.js"
import { Label, make as makePlace, type Place } from "../../../src/places/Place.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import { Challenge } from "../../../src/tokens/Pkce.js"
import type { AccessToken, RefreshToken, Rotation } from "../../../src/tokens/TokenFamily.js"
import { type Presented, TokenStore, type TokenWrite } from "../../../src/tokens/TokenStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { ConnectionId, ConsentRequestId, FamilyId, PlaceId, Sub, type UserId } from "../../../src/shared/Ids.js"
import type { StoreError } from "../../../src/shared/Errors.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { type Hash, KeyId, Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import * as Fixtures from "../../fixtures.js"

/** The ports that cases about connections, consent and tokens need. */
export type ConnectionSamplePorts =
  | ConnectionStore
  | ConsentStore
  | TokenStore
  | AccountStore
  | AppStore
  | Entropy.Entropy
  | Vault

/** The hash of a new secret. */
export const freshHash: Effect.Effect<Hash, never, Entropy.Entropy | Vault> = Effect.flatMap(Vault, (vault) =>
  Effect.map(Entropy.secret, vault.sha256)
)

const REDIRECT = RedirectUri.make("https://coffee.example/callback")
const CHALLENGE = Challenge.make("E9Melhoa2OwvFrEMTJguCHaoeGt1wdCqcQVxbwTvBxI")

/** Stores a user, and an app of another user. */
export const pair = Effect.gen(function* () {
  const user = yield* Fixtures.user
  const app = yield* Fixtures.app((yield* Fixtures.user).id)
  return { user, app }
})

/** Stores a consent request. */
export const request = (
  app: App,
  overrides: Partial<ConsentRequest> = {}
): Effect.Effect<ConsentRequest, StoreError, ConsentStore | Entropy.Entropy> =>
  Effect.gen(function* () {
    const made: ConsentRequest = {
      id: ConsentRequestId.make(yield* Entropy.id("crq")),
      appId: app.id,
      redirectUri: REDIRECT,
      scopes: ["location.place.current", "location.lookup"],
      challenge: CHALLENGE,
      state: ConsentRequestState.make("state with spaces & such"),
      externalUserId: ExternalUserId.make("user-✓-1"),
      answersIssuer: true,
      createdAt: yield* Timestamp.now,
      decided: null,
      ...overrides
    }
    yield* (yield* ConsentStore).createRequest(made)
    return made
  })

/** Makes a shared place without storing it. */
export const place = (sharedAt: Timestamp.Timestamp, includeEarlierVisits = false) =>
  Effect.map(Entropy.id("plc"), (id): SharedPlace => ({ placeId: PlaceId.make(id), sharedAt, includeEarlierVisits }))

/**
 * Stores two places of the user, the second archived, and a place of somebody else. Returns the user's two places,
 * ordered by id.
 */
export const onePlaceArchived = (userId: UserId) =>
  Effect.gen(function* () {
    const createdAt = yield* Timestamp.now
    const places = yield* PlaceStore
    const draft = { label: Label.make("Home"), kind: "home", circle: { lat: 52.37, lon: 4.89, radiusM: 150 } } as const
    const made = (owner: UserId) =>
      Effect.map(Entropy.id("plc"), (id) => makePlace(owner, PlaceId.make(id), draft, createdAt))
    const [kept, past, strange] = [yield* made(userId), yield* made(userId), yield* made((yield* Fixtures.user).id)]
    for (const one of [kept, past, strange]) yield* places.create(one)
    yield* places.update(userId, past.id, (before, archivedAt) => ({ ...before, archivedAt }))
    return byId([kept, { ...past, archivedAt: createdAt }])
  })

const byId = (places: ReadonlyArray<Place>): ReadonlyArray<Place> => [...places].sort((a, b) => (a.id < b.id ? -1 : 1))

/** Sorts the user's places in the state by id, because a store may return the places in any order. */
export const byPlace = <A extends { readonly ownPlaces: ReadonlyArray<Place> }>(state: A): A => ({
  ...state,
  ownPlaces: byId(state.ownPlaces)
})

/** Makes a connection without storing it. */
export const connection = (
  user: Account,
  app: App,
  overrides: Partial<Connection> = {}
): Effect.Effect<Connection, never, Entropy.Entropy> =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    return {
      userId: user.id,
      id: ConnectionId.make(yield* Entropy.id("con")),
      appId: app.id,
      sub: Sub.make(yield* Entropy.id("sub")),
      externalUserId: null,
      heldScopes: ["location.place.current"],
      agreedScopes: overrides.heldScopes ?? ["location.place.current"],
      pause: null,
      placesVersion: 1,
      places: [],
      standardExpiresAt: Timestamp.plus(now, 30 * Timestamp.DAY),
      sensitiveExpiresAt: null,
      connectedAt: now,
      endedAt: null,
      endReason: null,
      familyId: null,
      ...overrides
    }
  })

/** Makes an authorization code for the connection without storing it. */
export const codeFor = (made: Connection): Effect.Effect<AuthorizationCode, never, Entropy.Entropy | Vault> =>
  Effect.gen(function* () {
    return {
      hash: yield* freshHash,
      userId: made.userId,
      connectionId: made.id,
      appId: made.appId,
      redirectUri: REDIRECT,
      challenge: CHALLENGE,
      createdAt: yield* Timestamp.now,
      familyId: null,
      exchange: null
    }
  })

/**
 * Approves the consent request and stores the connection `made`, whatever connections were stored before. `expired` is
 * an earlier connection that the approval ends, because its standard tier is over.
 */
export const approve = (consentRequest: ConsentRequest, made: Connection, expired: ConnectionId | null = null) =>
  Effect.gen(function* () {
    const code = yield* codeFor(made)
    const state = yield* (yield* ConsentStore).decideRequest(consentRequest.id, made.userId, (seen) => ({
      outcome: seen,
      decided: approvedBy(made),
      approval: { connection: made, code, expired }
    }))
    return { code, state: Option.getOrElse(state, (): ApprovalState => Check.fail("the request is there")) }
  })

/** The state of a consent request after the connection's user approved it. */
export const approvedBy = (made: Connection): DecidedConsent => ({
  by: made.userId,
  outcome: "approved",
  connectionId: made.id,
  keyId: KeyId.make("k1")
})

/** Stores a connection between a user and an app that no other case uses. */
export const connected = (overrides: Partial<Connection> = {}) =>
  Effect.gen(function* () {
    const { app, user } = yield* pair
    const made = yield* connection(user, app, overrides)
    const { code } = yield* approve(yield* request(app), made)
    return { app, user, code, connection: made }
  })

/** Applies the writes to the connection. */
export const change = (id: ConnectionId, ...writes: ReadonlyArray<TokenWrite>) =>
  Effect.flatMap(TokenStore, (store) => store.change(id, {}, () => ({ outcome: undefined, writes })))

/** The present state of the connection in the store. */
export const read = (made: Connection) =>
  Effect.gen(function* () {
    const found = yield* (yield* ConnectionStore).findOfUser(made.userId, made.id)
    return Option.getOrElse(found, () => Check.fail("the connection is there")).connection
  })

/** The state that the store passes to a decision about the presented tokens. */
export const seen = (id: ConnectionId, presented: Presented = {}) =>
  Effect.gen(function* () {
    const store = yield* TokenStore
    const state = yield* store.change(id, presented, (locked, now) => ({ outcome: { ...locked, now }, writes: [] }))
    return Option.getOrElse(state, () => Check.fail("the connection is there"))
  })

/** The id of a new family. */
export const family = Effect.map(Entropy.id("fam"), (id) => FamilyId.make(id))

/** Makes an access token of the family without storing it. */
export const accessToken = (made: Connection, familyId: FamilyId) =>
  Effect.gen(function* () {
    const token: AccessToken = {
      hash: yield* freshHash,
      userId: made.userId,
      connectionId: made.id,
      familyId,
      issuedAt: yield* Timestamp.now,
      revokedAt: null
    }
    return token
  })

/** Makes an unspent refresh token of the family without storing it. */
export const refreshToken = (made: Connection, familyId: FamilyId) =>
  Effect.map(accessToken(made, familyId), (token): RefreshToken => ({ ...token, rotation: null }))

/** The rotation of a refresh token that is spent at the present time. */
export const rotation = Effect.map(Timestamp.now, (at): Rotation => ({ at, nonce: "nonce", keyId: KeyId.make("k1") }))

/**
 * Stores a family of tokens: an access token, and a chain of `length` refresh tokens. Only the last refresh token is
 * unspent.
 */
export const issue = (made: Connection, length: number) =>
  Effect.gen(function* () {
    const familyId = yield* family
    const spent = yield* rotation
    const access = yield* accessToken(made, familyId)
    const issued = yield* Effect.all(Array.from({ length }, () => refreshToken(made, familyId)))
    yield* change(made.id, { _tag: "StartFamily", familyId }, { _tag: "IssueAccess", token: access })
    for (const token of issued) yield* change(made.id, { _tag: "IssueRefresh", token })
    for (const token of issued.slice(0, -1))
      yield* change(made.id, { _tag: "Rotate", hash: token.hash, rotation: spent })
    const chain = issued.map((token, index): RefreshToken =>
      index < length - 1 ? { ...token, rotation: spent } : token
    )
    return { familyId, access, chain }
  })
