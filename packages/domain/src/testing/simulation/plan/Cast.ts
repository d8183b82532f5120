import { Effect } from "effect"
import type { Ended, Name, Operation, TokenSet } from "../Operations.js"
import type { Phone } from "../world/Phone.js"
import type { Place } from "../world/User.js"
import type { NotDone, World } from "../world/World.js"
import { type Plan, SCOPES, SENSITIVE, type ShortScope } from "./Plan.js"

/** What there is in a run, as those know it who play the plan: an index of a step means one of these. */
export interface Cast {
  readonly world: World
  readonly people: Array<Person>
  readonly apps: Array<Company>
  readonly connections: Array<Held>
  readonly endpoints: Array<Address>
  readonly rules: Array<KnownRule>
}

export interface Person {
  readonly id: string
  readonly name: string
  readonly places: Array<Place>
  readonly phones: Array<Phone>
  /** When a fix was captured last. */
  lastFixAt: number
}

export interface Company {
  readonly id: string
  readonly owner: string
  readonly purposes: Array<{ readonly id: string; readonly key: string; scopes: ReadonlyArray<string> }>
}

export interface Address {
  readonly id: string
  url: string
  readonly app: Company
  rotatedAt: number | undefined
}

export interface Held {
  readonly id: string
  readonly person: Person
  readonly app: Company
  /** The oldest first. */
  readonly codes: Array<{ readonly code: string; readonly at: number }>
  readonly tokens: Array<{ readonly access: string; readonly refresh: string; readonly at: number }>
  /** When a refresh token was last spent. */
  rotatedAt: number | undefined
  standardEndsAt: number | undefined
  sensitiveEndsAt: number | undefined
}

interface KnownRule {
  readonly id: string
  readonly held: Held
  readonly target: "place" | "zone"
  readonly from: number | null
  readonly until: number | null
  readonly dwellMinutes: number
}

/** How a step went. True: done, or at least tried. False: there was nothing to do it with. */
export type Took = Effect.Effect<boolean>

/** The one with this index, modulo how many there are; undefined when there is none. */
export const at = <A>(items: ReadonlyArray<A>, index: number): A | undefined =>
  items.length === 0 ? undefined : items[((index % items.length) + items.length) % items.length]

/** So many back from the newest. */
export const back = <A>(items: ReadonlyArray<A>, count: number): A | undefined => items[items.length - 1 - count]

export const long = (scope: ShortScope): string => `location.${scope}`
const PURPOSE_SCOPES = SENSITIVE.map(long)

export const ORIGIN = { lat: 50, lon: 10 }
/** Along the meridian through the origin, where distances are plain. */
export const north = (metres: number) => ({ lat: ORIGIN.lat + metres / 111_229, lon: ORIGIN.lon })
const HOME = { label: "Home", kind: "home", radiusM: 150, ...ORIGIN }
const WORK = { label: "Work", kind: "work", radiusM: 500, ...north(3_000) }
const NAMES = ["ana", "ben", "cleo", "dan", "eve"]

/** Everybody and everything that a plan begins with; nothing goes wrong meanwhile. */
export const stage = (world: World, plan: Plan): Effect.Effect<Cast, NotDone> =>
  Effect.gen(function* () {
    const cast: Cast = { world, people: [], apps: [], connections: [], endpoints: [], rules: [] }
    for (let n = 0; n < plan.people; n++) {
      const user = yield* world.user(NAMES[n] ?? `person${n}`)
      const places = [yield* user.place(HOME), yield* user.place(WORK)]
      const phones = [yield* user.phone()]
      cast.people.push({ id: user.id, name: user.name, places, phones, lastFixAt: yield* world.now })
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
    const company: Company = { id: app.id, owner: app.owner.name, purposes: [...app.purposes] }
    cast.apps.push(company)
    cast.endpoints.push({ id: hook.id, url: hook.url, app: company, rotatedAt: undefined })
  })

/** What came of it; undefined unless it was done. */
export const done = <N extends Name>(
  { world }: Cast,
  name: N,
  args: Operation<N>["args"],
  actor: string
): Effect.Effect<Operation<N>["value"] | undefined> =>
  Effect.map(world.perform(name, args, actor), (ended: Ended<N>) => (ended._tag === "ok" ? ended.value : undefined))

/** What the app was given. */
export const learn = (held: Held, tokens: TokenSet, now: number): void => {
  held.tokens.push({ access: tokens.accessToken, refresh: tokens.refreshToken, at: now })
  held.standardEndsAt = tokens.refreshTokenExpiresAt ?? undefined
  held.sensitiveEndsAt = tokens.sensitiveScopesExpireAt ?? held.sensitiveEndsAt
}
