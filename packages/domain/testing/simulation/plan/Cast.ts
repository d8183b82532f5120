import { Effect } from "effect"
import type { Ended, Name, Operation, TokenSet } from "../Operations.js"
import type { Phone } from "../world/Phone.js"
import type { Place } from "../world/User.js"
import type { NotDone, World } from "../world/World.js"
import { type Plan, SCOPES, SENSITIVE, type ShortScope } from "./Plan.js"

/**
 * All people, apps and other objects of a run, each in a list. A step names a person or an object by its position in
 * one of these lists.
 */
export interface Cast {
  readonly world: World
  readonly people: Array<Person>
  readonly apps: Array<Company>
  readonly connections: Array<HeldTokens>
  readonly endpoints: Array<Address>
  readonly rules: Array<KnownRule>
  readonly listeners: Array<KnownListener>
}

export interface Person {
  readonly id: string
  readonly name: string
  readonly places: Array<Place>
  readonly phones: Array<Phone>
  /**
   * The capture time of the newest fix, in milliseconds since 1970, or the time at which the person signed up if that
   * is later.
   */
  lastFixAt: number
  /** The cookies of the person's browsers, oldest first. */
  readonly cookies: Array<string>
  readonly imports: Array<string>
  /**
   * `password` is the number of the password that the person believes to be the present password. `newestPassword` is
   * the number of the last password that the person tried to set.
   */
  password: number
  newestPassword: number
  signedInAt: number | undefined
  lastUseAt: number | undefined
  lastGuessAt: number | undefined
}

export interface Company {
  readonly id: string
  readonly owner: string
  readonly ownerId: string
  readonly purposes: Array<{ readonly id: string; readonly key: string; scopes: ReadonlyArray<string> }>
}

export interface Address {
  readonly id: string
  url: string
  readonly app: Company
  rotatedAt: number | undefined
}

export interface HeldTokens {
  readonly id: string
  readonly person: Person
  readonly app: Company
  /** The authorization codes that the app received, oldest first. `tokens` has the same order. */
  readonly codes: Array<{ readonly code: string; readonly at: number }>
  readonly tokens: Array<{ readonly access: string; readonly refresh: string; readonly at: number }>
  /**
   * The time at which the app last refreshed its tokens, in milliseconds since 1970; undefined before the first
   * refresh.
   */
  rotatedAt: number | undefined
  standardEndsAt: number | undefined
  sensitiveEndsAt: number | undefined
  pauseEndsAt: number | undefined
}

interface KnownListener {
  readonly id: string
  readonly app: Company
  /** The cookie of the session that opened the stream. */
  readonly cookie: string
}

interface KnownRule {
  readonly id: string
  readonly held: HeldTokens
  readonly target: "place" | "zone"
  readonly from: number | null
  readonly until: number | null
  readonly dwellMinutes: number
}

/**
 * Performs a step. True when the step was performed or tried; false when the step was skipped, because something that
 * the step needs was missing.
 */
export type Took = Effect.Effect<boolean>

/** The item at `index`, modulo the length of the list; undefined for an empty list. */
export const at = <A>(items: ReadonlyArray<A>, index: number): A | undefined =>
  items.length === 0 ? undefined : items[((index % items.length) + items.length) % items.length]

/** The item that is `count` places before the newest item; 0 is the newest. Undefined when there is no such item. */
export const back = <A>(items: ReadonlyArray<A>, count: number): A | undefined => items[items.length - 1 - count]

/**
 * The number of times that a step repeats its action: at most 30, which is enough for the limits that stories reach,
 * such as 20 failed deliveries. A guided search may set the number to a boundary value of milliseconds, such as
 * 86,400,000, and such a run would not end.
 */
export const often = (times: number): number => Math.min(Math.max(0, times), 30)

export const long = (scope: ShortScope): string => `location.${scope}`
const PURPOSE_SCOPES = SENSITIVE.map(long)

export const ORIGIN = { lat: 50, lon: 10 }
/**
 * A point `metres` metres north of the origin. On a meridian, distances are proportional to differences in latitude.
 */
export const north = (metres: number) => ({ lat: ORIGIN.lat + metres / 111_229, lon: ORIGIN.lon })
const HOME = { label: "Home", kind: "home", radiusM: 150, ...ORIGIN }
const WORK = { label: "Work", kind: "work", radiusM: 500, ...north(3_000) }
const NAMES = ["ana", "ben", "cleo", "dan", "eve"]

/** Creates the people and apps with which a plan begins, and then turns the faults on. */
export const stage = (world: World, plan: Plan): Effect.Effect<Cast, NotDone> =>
  Effect.gen(function* () {
    const cast: Cast = { world, people: [], apps: [], connections: [], endpoints: [], rules: [], listeners: [] }
    for (let n = 0; n < plan.people; n++) {
      const user = yield* world.user(NAMES[n] ?? `person${n}`)
      const places = [yield* user.place(HOME), yield* user.place(WORK)]
      const phones = [yield* user.phone()]
      cast.people.push({
        id: user.id,
        name: user.name,
        places,
        phones,
        lastFixAt: yield* world.now,
        cookies: [],
        imports: [],
        password: 0,
        newestPassword: 0,
        signedInAt: undefined,
        lastUseAt: undefined,
        lastGuessAt: undefined
      })
      if (n === 0 && plan.hasSandbox) yield* open(cast, { owner: user, production: false })
    }
    for (let n = 0; n < plan.apps; n++) yield* open(cast, { production: true })
    for (const [kind, p] of Object.entries(plan.faults)) yield* world.fault(kind as never, { p })
    return cast
  })

const open = (cast: Cast, draft: Omit<Parameters<World["app"]>[0], "scopes">) =>
  Effect.gen(function* () {
    const app = yield* cast.world.app({
      scopes: SCOPES.map(long),
      purposes: [
        { key: "navigation", scopes: PURPOSE_SCOPES, expectedDailyVolume: 1_000 },
        { key: "nearest_shop", scopes: PURPOSE_SCOPES.slice(0, 1), expectedDailyVolume: 2 }
      ],
      ...draft
    })
    const hook = yield* app.endpoint("all")
    const { id: ownerId, name: owner } = app.owner
    const company: Company = { id: app.id, owner, ownerId, purposes: [...app.purposes] }
    cast.apps.push(company)
    cast.endpoints.push({ id: hook.id, url: hook.url, app: company, rotatedAt: undefined })
  })

/** Runs an operation and returns its value; undefined when the operation did not succeed. */
export const done = <N extends Name>(
  { world }: Cast,
  name: N,
  args: Operation<N>["args"],
  actor: string
): Effect.Effect<Operation<N>["value"] | undefined> =>
  Effect.map(world.perform(name, args, actor), (ended: Ended<N>) => (ended._tag === "ok" ? ended.value : undefined))

/** Stores the tokens that the app received, and the end dates of the tiers. */
export const learn = (connection: HeldTokens, tokens: TokenSet, now: number): void => {
  connection.tokens.push({ access: tokens.accessToken, refresh: tokens.refreshToken, at: now })
  connection.standardEndsAt = tokens.refreshTokenExpiresAt ?? undefined
  connection.sensitiveEndsAt = tokens.sensitiveScopesExpireAt ?? connection.sensitiveEndsAt
}
