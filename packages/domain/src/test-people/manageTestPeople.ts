import { Effect, Option } from "effect"
import type { App } from "../apps/App.js"
import { AppStore } from "../apps/AppStore.js"
import { ConnectionStore } from "../connection/ConnectionStore.js"
import * as ConsentRequest from "../consent/ConsentRequest.js"
import { ConsentStore } from "../consent/ConsentStore.js"
import { decideConsent } from "../consent/askForConsent.js"
import * as AccountDeletion from "../deletions/AccountDeletion.js"
import { AccountDeletionStore } from "../deletions/AccountDeletionStore.js"
import { DeviceName } from "../devices/Device.js"
import { addDevice } from "../devices/manageDevices.js"
import { FixHistory } from "../fixes/FixHistory.js"
import { createPlace } from "../places/managePlaces.js"
import { PlaceStore } from "../places/PlaceStore.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import { RedirectUri } from "../apps/RedirectUri.js"
import { sweepEach } from "../shared/Errors.js"
import {
  Conflict,
  type ConnectionId,
  ConsentRequestId,
  Entropy,
  NotFound,
  program,
  type Scope,
  StoreError,
  Timestamp,
  UserId,
  Vault
} from "../shared/index.js"
import { exchangeCode } from "../tokens/manageTokens.js"
import * as Pkce from "../tokens/Pkce.js"
import type { TokenGrant } from "../tokens/TokenGrant.js"
import * as TestPerson from "./TestPerson.js"
import { TestPersonStore } from "./TestPersonStore.js"

/** A new test person, with the secrets that are returned only once. */
export interface MadeTestPerson {
  readonly person: TestPerson.TestPerson
  /** The answer that the token endpoint would give the app for this connection. */
  readonly tokens: TokenGrant
  /** The device token of the simulated phone. With this token the developer can also upload readings. */
  readonly phoneToken: string
}

/**
 * Creates a test person of the app: an account, its places, a phone, and a connection with tokens. The programs of the
 * consent page and the token endpoint make the connection, so the connection is like the connection of a real person.
 * If a step fails, everything that was created is removed. Its errors:
 * - `Invalid` for scopes that the app cannot be granted.
 * - `Conflict` for an app that can have no test people (`TestPerson.unavailable`), and when the app has the maximum
 *   number of test people.
 */
export const makeTestPerson = program("makeTestPerson", function* (app: App, requested: TestPerson.NewTestPerson) {
  yield* refuseOutsideSandbox(app)
  const scopes = yield* TestPerson.grantedScopes(requested.scopes, app, yield* (yield* PurposeStore).list(app.id))
  const id = UserId.make(yield* Entropy.id("usr"))
  const account = TestPerson.account(id, app.id, requested.name, yield* Timestamp.now)
  const outcome = yield* (yield* TestPersonStore).create(account)
  if (outcome === "full") return yield* new Conflict({ reason: TestPerson.FULL })
  if (outcome === "unavailable") return yield* refuseChanged(app.id)
  return yield* equip(app, account, { ...requested, scopes }).pipe(
    Effect.tapErrorCause(() => Effect.ignoreLogged(remove(id)))
  )
})

const refuseOutsideSandbox = (app: App) => {
  const reason = TestPerson.unavailable(app)
  return reason === undefined ? Effect.void : new Conflict({ reason })
}

/**
 * For a request that failed because the app changed after the caller had read it. Fails with the reason why the app can
 * have no test people now. If the app can have test people after all, for example because its holder was suspended only
 * for a moment, fails with a transient error: the caller can send the request again.
 */
const refuseChanged = (id: App["id"]) =>
  Effect.gen(function* () {
    const found = yield* (yield* AppStore).find(id)
    const reason = Option.isNone(found) ? TestPerson.GONE : TestPerson.unavailable(found.value)
    if (reason === undefined) return yield* StoreError.unavailable("the app changed while its test person was made")
    return yield* new Conflict({ reason })
  })

const PHONE = DeviceName.make("Simulated phone")

const equip = (
  app: App,
  account: TestPerson.TestAccount,
  { places: drafts, scopes }: Required<TestPerson.NewTestPerson> & { readonly scopes: ReadonlyArray<Scope.Scope> }
) =>
  Effect.gen(function* () {
    const { createdAt, displayName: name, id } = account
    const places = yield* Effect.forEach(drafts, (draft) => createPlace(id, draft))
    const { token: phoneToken } = yield* addDevice(id, { name: PHONE, format: "json" })
    const tokens = yield* connect(app, account, {
      scopes,
      places: places.map((place) => place.id)
    })
    const connectionId = yield* connectionOf(app, id)
    const person = { id, name, createdAt, places, connectionId, lastReadingAt: null }
    const made: MadeTestPerson = { person, tokens, phoneToken }
    return made
  })

/** The redirect URI of the consent. No browser opens it: `connect` takes the code out of the address. */
const NOWHERE = RedirectUri.make("https://test-person.invalid/")

/** The consent request has `answersIssuer: false`, so the address with the code names no issuer. */
const NO_ISSUER = ""

/** Approves a consent and exchanges its code for tokens, as a user's browser and the app would. */
const connect = (
  app: App,
  account: TestPerson.TestAccount,
  chosen: { readonly scopes: ReadonlyArray<Scope.Scope>; readonly places: ReadonlyArray<string> }
) =>
  Effect.gen(function* () {
    const vault = yield* Vault.Vault
    const verifier = yield* Entropy.secret
    const request: ConsentRequest.ConsentRequest = {
      id: ConsentRequestId.make(yield* Entropy.id("crq")),
      appId: app.id,
      redirectUri: NOWHERE,
      scopes: chosen.scopes,
      challenge: Pkce.Challenge.make(vault.s256(verifier)),
      state: ConsentRequest.ConsentRequestState.make("test-person"),
      externalUserId: null,
      answersIssuer: false,
      createdAt: yield* Timestamp.now,
      decided: null
    }
    yield* (yield* ConsentStore).createRequest(request)
    const { redirectTo } = yield* decideConsent(
      request.id,
      account,
      {
        decision: "allow",
        shown: undefined,
        ...chosen,
        // A trip lies in the past, so a visit on a trip may begin before the place is shared. The app must see this
        // visit too.
        earlier: chosen.places,
        standardDays: TestPerson.DAYS,
        sensitiveDays: TestPerson.DAYS
      },
      NO_ISSUER,
      // Nobody can confirm the address of a test person, so it counts as confirmed (`AddressRule`).
      "assumed"
    )
    const code = /[?&]code=([^&]+)/.exec(redirectTo)?.[1]
    if (code === undefined) return yield* StoreError.broken("the approval of a test person has no code")
    return yield* exchangeCode(app, { code: decodeURIComponent(code), codeVerifier: verifier, redirectUri: NOWHERE })
  }).pipe(
    // Nobody else knows the consent request of the new test person, so nobody else can have used it. A refusal here
    // therefore means that the app changed meanwhile.
    Effect.catchTags({
      ConsentRefused: () => refuseChanged(app.id),
      Forbidden: Effect.die,
      InvalidGrant: () => refuseChanged(app.id),
      Suspended: () => refuseChanged(app.id)
    })
  )

const connectionOf = (app: App, id: UserId) =>
  Effect.map(
    Effect.flatMap(ConnectionStore, (store) => store.findLive(id, app.id)),
    (found): ConnectionId | null => Option.getOrNull(Option.map(found, (connection) => connection.id))
  )

/** The app's test people, oldest first. */
export const listTestPeople = program("listTestPeople", function* (app: App) {
  const accounts = yield* (yield* TestPersonStore).list(app.id)
  return yield* Effect.forEach(accounts, (account) => describe(app, account))
})

/** A test person of the app. Fails with `NotFound` when the app has no test person with this id. */
export const getTestPerson = program("getTestPerson", function* (app: App, id: UserId) {
  return yield* describe(app, yield* found(app, id))
})

const found = (app: App, id: UserId) =>
  Effect.gen(function* () {
    const account = yield* (yield* TestPersonStore).find(app.id, id)
    return yield* Effect.mapError(account, () => new NotFound({ what: "test person" }))
  })

const describe = (app: App, { createdAt, displayName: name, id }: TestPerson.TestAccount) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const newest = yield* (yield* FixHistory).newest(id, now, { from: null, until: null }, 1)
    const person: TestPerson.TestPerson = {
      id,
      name,
      createdAt,
      places: yield* (yield* PlaceStore).list(id),
      connectionId: yield* connectionOf(app, id),
      lastReadingAt: newest[0]?.capturedAt ?? null
    }
    return person
  })

/**
 * Deletes a test person like any account: the connection ends immediately, and workers delete the rows later. Fails
 * with `NotFound` when the app has no test person with this id.
 */
export const removeTestPerson = program("removeTestPerson", function* (app: App, id: UserId) {
  yield* found(app, id)
  yield* remove(id)
})

/**
 * Begins the deletion of the account. The outcome can be ignored: only the deletion of the last admin is refused, and a
 * test person is never an admin.
 */
const remove = (id: UserId) => Effect.flatMap(AccountDeletionStore, (store) => store.begin(id, AccountDeletion.decide))

/**
 * Removes test people whose app is in production, was revoked or does not exist. Returns their number. A worker runs
 * this program every minute. Until such a test person is removed, the app gets no answers about the person
 * (`WithApp.isSuspended`).
 */
export const removeStrayTestPeople = program("removeStrayTestPeople", function* () {
  const store = yield* TestPersonStore
  const stray = (limit: number) => Effect.map(store.listStray(limit), (ids) => ids.map((id) => ({ id })))
  return yield* sweepEach("A test person is not removed yet", stray, ({ id }) => remove(id))
})
