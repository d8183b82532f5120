import { ConnectionStore, type Locked, type WithApp, type Write } from "@place-access/domain/connection"
import { Timestamp } from "@place-access/domain/shared"
import type { Simulation } from "@place-access/domain/testing"
import { Effect, Option } from "effect"
import { instead } from "./plant.js"

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const STANDARD = ["location.visits.read", "location.place.current", "location.rules.place"]
const SCOPES = [...STANDARD, "location.latest.read", "location.history.read"]

export const ME = { endpoint: "GET /v1/me" } as const
export const CURRENT = { endpoint: "GET /v1/answers/current-place", maxAgeS: 900 } as const
export const LATEST = { endpoint: "GET /v1/locations/latest" } as const

type Terms = Simulation.Terms

/** Ana and an app that hears everything; connected without end, but for what is said. */
export const connected = (
  world: Simulation.World,
  terms: Partial<Terms> = {},
  draft: Partial<Parameters<Simulation.World["app"]>[0]> = {}
) =>
  Effect.gen(function* () {
    const ana = yield* world.user("ana")
    const app = yield* world.app({ scopes: SCOPES, ...draft })
    const hook = yield* app.endpoint("hook")
    const terms_ = { scopes: SCOPES, standardDays: null, ...terms }
    const connection = yield* app.connect(ana, terms_)
    /** The same again: a renewal where a sensitive scope is held. */
    const again = (over: Partial<Terms> = {}) => app.connect(ana, { ...terms_, ...over })
    return { world, ana, app, hook, connection, again }
  })

/** What the decisions under the connection's lock see, and what they write. */
export const decisions = (
  tamper: (state: Locked, now: Timestamp.Timestamp) => Locked,
  edit: (writes: ReadonlyArray<Write>) => ReadonlyArray<Write> = (writes) => writes
): Simulation.Sabotage =>
  instead(ConnectionStore, (store) => ({
    change: (id, asked, decide) =>
      store.change(id, asked, (state, now) => {
        const decision = decide(tamper(state, now), now)
        return { ...decision, writes: edit(decision.writes) }
      })
  }))

type Found =
  Effect.Effect.Success<ReturnType<typeof ConnectionStore.Service.findByAccessToken>> extends Option.Option<infer A>
    ? A
    : never

/** What is found of the connection that a request's token names. */
export const found = (tamper: (found: Found, now: Timestamp.Timestamp) => Found): Simulation.Sabotage =>
  instead(ConnectionStore, (store) => ({
    findByAccessToken: (id, hash) =>
      Effect.flatMap(Timestamp.now, (now) =>
        Effect.map(
          store.findByAccessToken(id, hash),
          Option.map((one) => tamper(one, now))
        )
      )
  }))

export const withConnection = <A extends WithApp>(found: A, change: Partial<A["connection"]>): A => ({
  ...found,
  connection: { ...found.connection, ...change }
})

/** One after the other. */
export const both =
  (...all: ReadonlyArray<Simulation.Sabotage>): Simulation.Sabotage =>
  (ports) =>
    all.reduce((before, sabotage) => sabotage(before), ports)
