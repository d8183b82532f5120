import { type Scope, Timestamp } from "@place-access/domain/shared"
import { FastCheck as fc } from "effect"

/**
 * Commands that change or use a user's connections with an app. A test generates a list of commands, or takes a fixed
 * list (`stories`).
 */

export const SCOPES: ReadonlyArray<Scope.Scope> = [
  "location.place.current",
  "location.rules.place",
  "location.places.watch",
  "location.latest.read",
  "location.lookup"
]
const { DAY } = Timestamp

/** A token, a code or a page is selected by its age: 0 is the newest. A set of scopes or of places is a bit mask. */
export type Command =
  | { readonly type: "open"; readonly asked: number | "held" }
  | ({ readonly type: "answer"; readonly page: number } & Form)
  /** Opens a consent page and sends its form, which mostly approves the request. */
  | ({ readonly type: "approve"; readonly asked: number | "held" } & Form)
  | { readonly type: "exchange"; readonly codes: ReadonlyArray<number>; readonly proof: Proof }
  | {
      readonly type: "refresh"
      readonly tokens: ReadonlyArray<number>
      readonly stranger: boolean
      /** Whether a worker sweeps the tiers at the same time as the refreshes. */
      readonly sweeping: boolean
    }
  | { readonly type: "revoke"; readonly kind: "access" | "refresh"; readonly token: number; readonly stranger: boolean }
  | { readonly type: "disconnect" }
  | { readonly type: "share"; readonly places: number }
  /** An admin restricts the app to these scopes. `to` is null: an admin removes the restriction. */
  | { readonly type: "narrow"; readonly to: number | null }
  | { readonly type: "revoke app" }
  | { readonly type: "sweep"; readonly workers: number }
  | { readonly type: "wait"; readonly ms: number }
  /** Moves the clock to an end date of the connection, plus `plus` milliseconds. `plus` may be negative. */
  | {
      readonly type: "go to"
      readonly date: "standard" | "sensitive" | "grace" | "14 days" | "7 days"
      readonly plus: number
    }

export interface Form {
  readonly decision: "allow" | "cancel" | "stop"
  readonly names: boolean
  /** The ticked scopes as a bit mask. `all`: every requested scope. */
  readonly scopes: number | "all"
  readonly places: number
  readonly standardDays: 1 | 7 | 30 | 90 | null
  readonly sensitiveDays: 1 | 7 | 30 | 90
}

export interface Proof {
  readonly verifier: boolean
  readonly redirect: boolean
  readonly app: boolean
  /** Whether the app sends its `Idempotency-Key` with this code. */
  readonly key: boolean
}

const mostly = <A>(usual: A, ...others: ReadonlyArray<A>): fc.Arbitrary<A> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(usual) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) }
  )
/** The age that selects a token. In most cases it is one of the three newest tokens. */
const age = fc.oneof({ weight: 4, arbitrary: fc.nat(2) }, fc.nat(20))
const set = (size: number) => fc.nat(2 ** size - 1)
const requestedScopes = fc.oneof({ weight: 2, arbitrary: fc.constant("held" as const) }, set(SCOPES.length))
const form = {
  decision: fc.oneof(
    { weight: 8, arbitrary: fc.constant("allow" as const) },
    fc.constantFrom("cancel" as const, "stop" as const)
  ),
  names: fc.boolean(),
  scopes: fc.oneof({ weight: 4, arbitrary: fc.constant("all" as const) }, set(SCOPES.length)),
  places: set(2),
  standardDays: fc.constantFrom(1 as const, 7 as const, 30 as const, 90 as const, null, null),
  sensitiveDays: fc.constantFrom(1 as const, 7 as const, 30 as const, 90 as const)
}
const MOMENTS = [1, 29_999, 30_000, 30_001, 59_999, 60_000, 60_001, 3_599_999, 3_600_000, -1_000, -3_600_000]
const DAYS = [1, 7, 14, 16, 21, 30, 45]

const tagged = <T extends Command["type"], R extends Record<string, fc.Arbitrary<unknown>>>(type: T, fields: R) =>
  fc.record({ type: fc.constant(type), ...fields }) as unknown as fc.Arbitrary<Extract<Command, { type: T }>>

export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: tagged("approve", { asked: requestedScopes, ...form }) },
  { weight: 2, arbitrary: tagged("open", { asked: requestedScopes }) },
  { weight: 2, arbitrary: tagged("answer", { page: age, ...form }) },
  {
    weight: 5,
    arbitrary: tagged("exchange", {
      codes: fc.oneof({ weight: 5, arbitrary: fc.constant([0]) }, fc.array(age, { minLength: 1, maxLength: 3 })),
      proof: fc.record({
        verifier: mostly(true, false),
        redirect: mostly(true, false),
        app: mostly(true, false),
        key: fc.boolean()
      })
    })
  },
  {
    weight: 8,
    arbitrary: tagged("refresh", {
      tokens: fc.oneof({ weight: 3, arbitrary: fc.tuple(age) }, fc.array(age, { minLength: 2, maxLength: 4 })),
      stranger: mostly(false, true),
      sweeping: fc.boolean()
    })
  },
  {
    weight: 1,
    arbitrary: tagged("revoke", {
      kind: fc.constantFrom("access", "refresh"),
      token: age,
      stranger: mostly(false, true)
    })
  },
  { weight: 2, arbitrary: tagged("share", { places: set(2) }) },
  { weight: 2, arbitrary: tagged("narrow", { to: fc.option(set(SCOPES.length)) }) },
  { weight: 1, arbitrary: fc.oneof({ weight: 5, arbitrary: tagged("disconnect", {}) }, tagged("revoke app", {})) },
  { weight: 4, arbitrary: tagged("sweep", { workers: mostly(1, 3) }) },
  { weight: 3, arbitrary: tagged("wait", { ms: fc.constantFrom(...MOMENTS) }) },
  { weight: 2, arbitrary: tagged("wait", { ms: fc.constantFrom(...DAYS.map((days) => days * DAY)) }) },
  {
    weight: 5,
    arbitrary: tagged("go to", {
      date: fc.constantFrom("standard", "sensitive", "grace", "14 days", "7 days"),
      plus: fc.constantFrom(-1, 0, 0, 1, 15 * Timestamp.MINUTE)
    })
  }
)

export const FORM: Form = {
  decision: "allow",
  names: true,
  scopes: "all",
  places: 1,
  standardDays: 1,
  sensitiveDays: 7
}
export const PROVEN: Proof = { verifier: true, redirect: true, app: true, key: false }

const approved = (more: Partial<Form> = {}, requestedScopes: number | "held" = "held"): Command => ({
  type: "approve",
  asked: requestedScopes,
  ...FORM,
  ...more
})
const exchanged: Command = { type: "exchange", codes: [0], proof: PROVEN }
const exchangedWithKey: Command = { type: "exchange", codes: [0], proof: { ...PROVEN, key: true } }
const refreshed = (...tokens: ReadonlyArray<number>): Command => ({
  type: "refresh",
  tokens,
  stranger: false,
  sweeping: false
})
const waited = (ms: number): Command => ({ type: "wait", ms })
const swept: Command = { type: "sweep", workers: 1 }
const at = (date: Extract<Command, { type: "go to" }>["date"], plus = 0): Command => ({ type: "go to", date, plus })
const STANDARD = 0b00111

/**
 * Fixed lists of commands that run before the generated commands. They make sure that all `MARKS` are reached, whatever
 * the generator draws.
 */
export const stories: ReadonlyArray<ReadonlyArray<Command>> = [
  // Refresh tokens that are used once, used again within 30 s or later, and revoked (decision O6).
  [refreshed(0), waited(30_000), refreshed(1)],
  [refreshed(0), waited(29_999), refreshed(0), refreshed(2), refreshed(0, 0, 1)],
  [refreshed(0), waited(30_001), refreshed(1), refreshed(0), refreshed(1)],
  [refreshed(0), waited(30_001), approved(), exchanged, refreshed(2), refreshed(1), refreshed(0)],
  [refreshed(0), approved(), exchanged, { type: "revoke", kind: "refresh", token: 2, stranger: false }, refreshed(0)],
  [{ type: "revoke", kind: "access", token: 0, stranger: false }, refreshed(0)],
  [waited(3_600_000), { type: "revoke", kind: "access", token: 0, stranger: false }, refreshed(0)],
  // A code that is exchanged twice with an idempotency key (decision O7).
  [approved(), exchangedWithKey, waited(30_000), exchangedWithKey, refreshed(0)],
  [approved(), exchangedWithKey, waited(30_001), exchangedWithKey, refreshed(0)],
  [approved(), exchangedWithKey, exchanged, refreshed(0)],
  // A code that is exchanged twice with an idempotency key, with a refresh in between (decision tokens-1). The number
  // of a token is its age: 0 is the newest.
  [approved(), exchangedWithKey, refreshed(0), exchangedWithKey, waited(30_001), refreshed(0)],
  [approved(), exchanged, exchanged, refreshed(0)],
  [approved(), exchanged, refreshed(0), exchanged],
  [exchanged, refreshed(0)],
  [approved(), exchanged, { type: "exchange", codes: [1], proof: PROVEN }, refreshed(0)],
  [approved(), waited(60_000), exchanged, refreshed(0)],
  // The standard tier ends: the calls just before and just after the end.
  [approved({}, STANDARD), exchanged, at("standard", -1), refreshed(0), waited(1), refreshed(0), swept],
  [approved({}, STANDARD), exchanged, at("standard", 1), swept, swept, approved(), exchanged],
  [approved({}, STANDARD), at("standard"), { type: "share", places: 3 }, { type: "disconnect" }],
  [approved({}, STANDARD), at("standard"), approved({}, STANDARD), exchanged],
  // The sensitive tier ends: the grace period, the removal of its scopes, a renewal.
  [at("sensitive", -1), refreshed(0), waited(1), refreshed(0), swept, at("grace", -1), swept, waited(1), swept],
  [
    approved({ sensitiveDays: 90 }),
    at("14 days"),
    swept,
    at("7 days"),
    swept,
    at("sensitive"),
    swept,
    at("grace"),
    swept
  ],
  [
    at("sensitive", 1),
    swept,
    approved({ scopes: 0, sensitiveDays: 30 }),
    exchanged,
    at("14 days"),
    swept,
    at("7 days"),
    swept
  ],
  [approved({ sensitiveDays: 30 }), at("grace", 1), { type: "sweep", workers: 3 }, approved(), exchanged, swept],
  [at("sensitive", 1), approved({ sensitiveDays: 1 }), swept, at("sensitive", 1), approved({}, STANDARD), swept],
  [{ type: "open", asked: "held" }, at("grace"), { type: "answer", page: 0, ...FORM }, approved()],
  [{ type: "open", asked: "held" }, at("sensitive"), { type: "answer", page: 0, ...FORM }],
  [
    { type: "open", asked: "held" },
    approved({ scopes: STANDARD }, STANDARD),
    { type: "answer", page: 1, ...FORM },
    { type: "answer", page: 1, ...FORM, names: false }
  ],
  [approved({ decision: "stop" }), swept, approved({ decision: "stop" }), at("grace"), swept],
  [
    approved({ decision: "cancel" }),
    { type: "answer", page: 0, ...FORM },
    { type: "open", asked: 1 },
    waited(3_600_000)
  ],
  [{ type: "open", asked: 1 }, waited(3_600_000), { type: "answer", page: 0, ...FORM }],
  [approved(), { type: "answer", page: 0, ...FORM, scopes: 1 }, exchanged],
  // The form comes again after the exchange, and after the code's 60 seconds (decision consent-6).
  [approved(), exchanged, { type: "answer", page: 0, ...FORM }, refreshed(0)],
  [approved(), waited(59_999), { type: "answer", page: 0, ...FORM }, waited(1), { type: "answer", page: 0, ...FORM }],
  // The user shares places, an admin restricts the app, an admin revokes the app.
  [
    { type: "share", places: 3 },
    { type: "share", places: 3 },
    { type: "narrow", to: 1 },
    { type: "share", places: 0 }
  ],
  [{ type: "narrow", to: 0b10001 }, refreshed(0), approved(), { type: "narrow", to: null }, refreshed(0)],
  [
    { type: "open", asked: 31 },
    { type: "narrow", to: 1 },
    { type: "answer", page: 0, ...FORM },
    at("sensitive"),
    swept
  ],
  [{ type: "revoke app" }, refreshed(0), exchanged, approved(), swept],
  [{ type: "open", asked: 1 }, { type: "revoke app" }, { type: "answer", page: 0, ...FORM }],
  // The clock is set back.
  [at("sensitive"), swept, waited(-3_600_000), swept, refreshed(0), waited(3_600_000), swept],
  [refreshed(0), waited(-1_000), refreshed(1)],
  [{ type: "disconnect" }, refreshed(0), approved({}, STANDARD), exchanged, refreshed(1)]
]

/** The situations that the scenarios together must reach. */
export const MARKS = [
  "answer: approved",
  "answer: denied",
  "answer: faulty",
  "answer: refused app_revoked",
  "answer: refused decided",
  "answer: refused expired",
  "answer: refused outdated",
  "answer: repeated",
  "ended: admin_revoked",
  "ended: app_revoked_token",
  "ended: code_reused",
  "ended: expired",
  "ended: refresh_token_reused",
  "ended: user_disconnected",
  "exchange repeated",
  "exchange repeated after a refresh",
  "mode: change",
  "mode: new",
  "mode: renew_sensitive",
  "places.changed",
  "race",
  "race further up the chain",
  "refreshed at once",
  "rotation",
  "sensitive.expiring",
  "sensitive.lapsed",
  "sensitive.removed"
]
