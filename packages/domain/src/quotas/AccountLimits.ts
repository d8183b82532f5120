// The limits on what one account may own and do (decision limits-9). The pages and
// packages/domain/docs/decisions/limits.md show them.
import { DAY, HOUR, MINUTE } from "../shared/Timestamp.js"

/**
 * A limit on how many things exist at the same time. When the limit is reached, a request for a further thing is
 * refused with 409 `conflict` and the text `refusal`. An import beyond the limit does not fail, but leaves the thing
 * out.
 */
export interface OwnedLimit {
  readonly _tag: "Owned"
  /** The name of the limit, in words for people. */
  readonly what: string
  readonly most: number
  /** The things that count against the limit, in words for people. */
  readonly counted: string
  /** The message to the person: why the thing was refused, and what to do. */
  readonly refusal: string
}

/**
 * A limit on how often something is done within a window of time. The window begins with the first use. Only the window
 * of `RECEIPTS` is sliding: the limit holds in any 60 minutes (`NamedMail`). A thing that is created and then removed
 * still counts.
 */
export interface WindowLimit {
  readonly _tag: "Within"
  readonly what: string
  readonly most: number
  readonly windowMs: number
  readonly counted: string
  /**
   * The text of the answer 429 `rate_limited`. Null: exceeding the limit is no error. Instead, the mails or the entries
   * of the access log beyond the limit are combined into one.
   */
  readonly refusal: string | null
}

const owned = (what: string, most: number, counted: string, refusal: string): OwnedLimit => ({
  _tag: "Owned",
  what,
  most,
  counted,
  refusal
})

const within = (
  what: string,
  most: number,
  windowMs: number,
  counted: string,
  refusal: string | null
): WindowLimit => ({
  _tag: "Within",
  what,
  most,
  windowMs,
  counted,
  refusal
})

export const PLACES = owned(
  "Places",
  100,
  "those that are not archived",
  "an account can have 100 places; archive one that you no longer need"
)

/**
 * A limit for imports only. Somebody can write an archive file by hand, with any number of archived places. Each
 * archived place costs the service as much as a place in use: its row is kept, and visits to it are derived. The portal
 * does not limit how many places a person archives.
 */
export const ARCHIVED_PLACES = owned(
  "Archived places that an imported archive adds",
  500,
  "all archived places of the account; only the import of an archive is limited",
  "an account with 500 archived places gets no more of them from an archive; an import leaves these out"
)

export const DEVICES = owned(
  "Devices",
  20,
  "those that are not removed; imports do not count",
  "an account can have 20 devices; remove one that you no longer use"
)

export const APPS = owned(
  "Apps",
  50,
  "all, revoked ones too",
  "an account can have 50 apps; change one that you no longer need, or ask those who run this service"
)

export const PURPOSES = owned(
  "Purposes of an app",
  100,
  "all, archived ones too, because their keys stay taken",
  "an app can have 100 purposes, archived ones included; edit one that exists"
)

export const ENDPOINTS = owned(
  "Webhook endpoints of an app",
  5,
  "all",
  "an app can have 5 webhook endpoints; remove one first"
)

export const TEST_PEOPLE = owned(
  "Test people of an app",
  10,
  "all, until they are removed",
  "an app can have 10 test people; remove one first"
)

export const MEMBERS = owned(
  "People in the team of an app",
  20,
  "the holder and all members",
  "a team can have 20 people; remove one first"
)

export const INVITATIONS = owned(
  "Open invitations of an app",
  20,
  "those of the last 7 days that were not accepted, declined or withdrawn",
  "an app can have 20 open invitations; withdraw one first"
)

/**
 * Every upload reads and evaluates the rules of a person's connections, even a rule whose window opens later or ended
 * less than a day ago. So the number of all these rules is limited too, and not only the number of rules that are
 * active at one instant (Spec §4.6.6, decision rules-15).
 */
export const RULES = owned(
  "Rules of a connection",
  500,
  "those that are not removed, until a day after the end of their window",
  "a connection can have 500 rules, each counted until a day after the end of its window; remove one, or wait"
)

export const LISTENERS = owned(
  "Machines that listen to an app",
  5,
  "those that are connected",
  "5 are listening to this app already; stop one, or wait up to a quarter of an hour if its machine disappeared"
)

/**
 * For most things, the rows stay in the database after the account has removed the thing. Without this limit, an
 * account could fill the database by creating and removing things, or by moving a place: each move stores a circle for
 * good.
 */
export const CREATIONS = within(
  "New places, devices, apps, purposes and test people, and moves of places",
  300,
  DAY,
  "an account's, together; removing one gives nothing back",
  "an account can make 300 places, devices, apps, purposes and test people in a day, moves of places included; wait and try again"
)

export const TEST_WEBHOOKS = within(
  "Test webhooks",
  30,
  HOUR,
  "an account's, over all of its apps; a test that is redelivered counts as another test",
  "an account can send 30 test webhooks in an hour; wait and try again"
)

/** Redeliveries are limited because each redelivery is up to seven requests to an address of the developer's choice. */
export const REDELIVERIES = within(
  "Redelivered webhooks",
  300,
  HOUR,
  "an account's, over all of its apps; those of a recovery do not count",
  "an account can redeliver 300 webhooks in an hour; wait and try again"
)

/**
 * New addresses of webhooks are limited because, for each new address, the service queries name servers of the
 * developer's choice, which may take seconds to answer.
 */
export const WEBHOOK_ADDRESSES = within(
  "Webhook addresses",
  300,
  HOUR,
  "an account's, over all of its apps: each new endpoint, and each change of an endpoint that names its address",
  "an account can set 300 webhook addresses in an hour; wait and try again"
)

/** Invitations are limited because each invitation can be a mail to somebody who did not ask for it. */
export const INVITED = within(
  "Invitations into teams",
  50,
  DAY,
  "an account's, over all of its apps; withdrawing one gives nothing back",
  "an account can invite 50 people in a day; wait and try again"
)

/**
 * Hand-overs are limited because each hand-over sends a mail that no other limit can prevent (decision mail-2). An
 * account can hand over as many apps in a day as it can have.
 */
export const HAND_OVERS = within(
  "Hand-overs of apps",
  50,
  DAY,
  "an account's, over all of its apps",
  "an account can hand over 50 apps in a day; wait and try again"
)

/** Changes of a name are limited because each change is an event in the audit log, which admins read. */
export const NAME_CHANGES = within(
  "Changes of the name",
  30,
  DAY,
  "an account's, by the API and the page",
  "an account can change its name 30 times in a day; wait and try again"
)

/**
 * New secrets are limited because each new secret that replaces another secret is an event in the audit log, which
 * admins read.
 */
export const NEW_SECRETS = within(
  "New secrets",
  300,
  DAY,
  "an account's, over all of its apps: client secrets, and signing secrets that replace another one",
  "an account can make 300 new secrets in a day; wait and try again"
)

/** Trips are limited because each trip is an upload of up to 1,000 readings. */
export const TRIPS = within(
  "Simulated trips of test people",
  300,
  HOUR,
  "an account's, over all of its apps",
  "an account can simulate 300 trips in an hour; wait and try again"
)

/** Consent pages are limited because each consent page is stored for about a day. */
export const CONSENT_PAGES = within(
  "Consent pages",
  120,
  HOUR,
  "those that an account opened while it was signed in",
  "an account can open 120 consent pages in an hour; wait and try again"
)

/** The limit on consent pages from one network address, whether or not somebody is signed in there. */
export const CONSENT_PAGES_OF_ADDRESS = within(
  "Consent pages from one address",
  120,
  MINUTE,
  "signed in or not",
  "an address can open 120 consent pages in a minute; wait and try again"
)

/** Requests with an Idempotency-Key are limited because each answer can be stored for a day. */
export const KEYED = within(
  "Requests with an Idempotency-Key",
  1_000,
  DAY,
  "an account's or a connection's, also refused and repeated ones",
  "an account or a connection can send 1000 requests with an Idempotency-Key in a day; wait, or send no key"
)

export const RECEIPTS = within("E-mails that name an app", 5, HOUR, "an account's, over all apps", null)

export const DEAD_TOKENS = within(
  "Entries in the access log about calls with a token that no longer works",
  1,
  HOUR,
  "for each connection and route",
  null
)

/** Every limit, in the order in which the pages show them. */
export const ALL: ReadonlyArray<OwnedLimit | WindowLimit> = [
  PLACES,
  ARCHIVED_PLACES,
  DEVICES,
  APPS,
  PURPOSES,
  ENDPOINTS,
  TEST_PEOPLE,
  MEMBERS,
  INVITATIONS,
  RULES,
  LISTENERS,
  CREATIONS,
  TEST_WEBHOOKS,
  REDELIVERIES,
  WEBHOOK_ADDRESSES,
  NEW_SECRETS,
  INVITED,
  HAND_OVERS,
  NAME_CHANGES,
  TRIPS,
  CONSENT_PAGES,
  CONSENT_PAGES_OF_ADDRESS,
  KEYED,
  RECEIPTS,
  DEAD_TOKENS
]
