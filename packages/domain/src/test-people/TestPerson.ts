// A made-up person of an app that is not in production. Decisions test-people-1, test-people-2 and test-people-3.
import { type Account, DisplayName, Email } from "../accounts/Account.js"
import * as App from "../apps/App.js"
import * as AuthorizeRequest from "../consent/AuthorizeRequest.js"
import { DEFAULT_RADIUS_M, Label, type Place, type PlaceDraft } from "../places/Place.js"
import { coveredScopes, type Purpose } from "../purposes/Purpose.js"
import * as AccountLimits from "../quotas/AccountLimits.js"
import { type AppId, type ConnectionId, Invalid, Scope, type Timestamp, type UserId } from "../shared/index.js"
import { Either } from "effect"

/** The account of a test person; `testOf` is the app that the test person belongs to. */
export interface TestAccount extends Account {
  readonly testOf: AppId
}

/** The fields that a developer chooses for a new test person. */
export interface NewTestPerson {
  readonly name: DisplayName
  /** The places to create, from one to `MAX_PLACES` (10). All of them are shared with the app. */
  readonly places: ReadonlyArray<PlaceDraft>
  /** The scopes of the connection. Left out: every scope that the app could be granted now. */
  readonly scopes?: ReadonlyArray<Scope.Scope> | undefined
}

/** A test person, with its places, the id of its live connection, and the time of its newest reading. */
export interface TestPerson {
  readonly id: UserId
  readonly name: DisplayName
  readonly createdAt: Timestamp.Timestamp
  readonly places: ReadonlyArray<Place>
  /** Null when the connection has ended. */
  readonly connectionId: ConnectionId | null
  /** When the newest reading of the test person's phone was captured; null when the phone has sent none. */
  readonly lastReadingAt: Timestamp.Timestamp | null
}

export const MAX_PLACES = 10

export const DEFAULT_NAME = DisplayName.make("Test person")

/** The name and the position of Home that the developer's page suggests for a new test person: a point in Amsterdam. */
export const SUGGESTED = { name: DisplayName.make("Robin"), lat: 52.3731, lon: 4.8926 }
const WORK_EAST_DEG = 0.044

/**
 * Two places: Home at the point `lat`, `lon`, and Work `WORK_EAST_DEG` degrees of longitude east of Home, which is
 * about 3 km at the latitude of Amsterdam.
 */
export const homeAndWork = (lat: number, lon: number): ReadonlyArray<PlaceDraft> => {
  const east = lon + WORK_EAST_DEG
  const at = (lon: number) => ({ lat, lon, radiusM: DEFAULT_RADIUS_M })
  return [
    { label: Label.make("Home"), kind: "home", circle: at(lon) },
    { label: Label.make("Work"), kind: "work", circle: at(east > 180 ? east - 360 : east) }
  ]
}

/**
 * For how many days a test person shares both tiers of scopes: the longest time that the consent page offers for both
 * tiers.
 */
export const DAYS = "90"

/** Why an app can have no test people now; undefined when the app can have test people. */
export const unavailable = (app: Pick<App.App, "status" | "revokedAt" | "suspendedAt">): string | undefined =>
  app.revokedAt !== null
    ? "the app was revoked"
    : app.suspendedAt !== null
      ? "the account of the app's holder is suspended"
      : app.status === "production"
        ? IN_PRODUCTION
        : undefined

export const FULL = AccountLimits.TEST_PEOPLE.refusal
export const GONE = "the app no longer exists"
export const IN_PRODUCTION = "an app in production has no test people; make another app, which begins in the sandbox"

/**
 * The account of a new test person. Nobody can sign in to this account or send mail to it: the service looks up
 * addresses in lower case, so it never finds this address, which has a capital letter (as with
 * `AccountDeletion.NOBODY`).
 */
export const account = (id: UserId, testOf: AppId, name: DisplayName, createdAt: Timestamp.Timestamp): TestAccount => ({
  id,
  email: Email.make(`Test-${id}@account.invalid`),
  displayName: name,
  roles: [],
  createdAt,
  suspendedAt: null,
  confirmedAt: null,
  timeZone: null,
  language: null,
  browserLanguage: null,
  testOf
})

/**
 * The scopes of the new connection: the scopes in `requested`, or by default all scopes that the app could be granted
 * now. Fails with `Invalid` on `scopes` when a scope is not available, or when there is no scope.
 */
export const grantedScopes = (
  requested: ReadonlyArray<Scope.Scope> | undefined,
  app: App.App,
  purposes: ReadonlyArray<Purpose>
): Either.Either<ReadonlyArray<Scope.Scope>, Invalid> => {
  const covered: ReadonlyArray<Scope.Scope> = coveredScopes(purposes, app.status)
  const scopes = requested ?? App.scopes(app).filter((scope) => !Scope.isSensitive(scope) || covered.includes(scope))
  if (scopes.length === 0) return Either.left(Invalid.of("scopes", "must name at least one scope"))
  const refused = AuthorizeRequest.unavailable(scopes, app, purposes)
  return refused === undefined
    ? Either.right(Scope.normalise(scopes))
    : Either.left(Invalid.of("scopes", `${refused.scope} ${refused.why}`))
}
