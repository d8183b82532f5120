import { ConnectionStore, type WithApp } from "@place-access/domain/connection"
import { type Locked, TokenStore, type TokenWrite } from "@place-access/domain/tokens"
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

/** Ana and an app that gets all events. By default the standard tier has no end. */
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
    /**
     * Ana consents to the app once more, with the same terms except for `over`. If the scopes stay the same, this
     * consent is a renewal, because one of the scopes is sensitive.
     */
    const again = (over: Partial<Terms> = {}) => app.connect(ana, { ...terms_, ...over })
    return { world, ana, app, hook, connection, again }
  })

type Edit = <W extends TokenWrite>(writes: ReadonlyArray<W>) => ReadonlyArray<W>

/**
 * Plants a bug in the decisions that run under the connection's lock: `tamper` changes the state that they get, and
 * `edit` the writes that they return.
 */
export const decisions = (
  tamper: (state: Locked, now: Timestamp.Timestamp) => Locked,
  edit: Edit = (writes) => writes
): Simulation.Sabotage =>
  both(
    instead(TokenStore, (store) => ({
      change: (id, presented, decide) =>
        store.change(id, presented, (state, now) => {
          const decision = decide(tamper(state, now), now)
          return { ...decision, writes: edit(decision.writes) }
        })
    })),
    instead(ConnectionStore, (store) => ({
      change: (id, decide) =>
        store.change(id, (state, now) => {
          const tampered = tamper({ ...state, ...NOTHING_PRESENTED }, now)
          const decision = decide({ ...tampered, ownPlaces: state.ownPlaces }, now)
          return { ...decision, writes: edit(decision.writes) }
        })
    }))
  )

const NOTHING_PRESENTED = { code: Option.none(), chain: [], access: Option.none() }

type TokenLookup =
  Effect.Effect.Success<ReturnType<typeof TokenStore.Service.findByAccessToken>> extends Option.Option<infer A>
    ? A
    : never

/** Plants a bug that changes the result when the service looks up the token of a request. */
export const found = (tamper: (found: TokenLookup, now: Timestamp.Timestamp) => TokenLookup): Simulation.Sabotage =>
  instead(TokenStore, (store) => ({
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

/** Plants several bugs at the same time. */
export const both =
  (...all: ReadonlyArray<Simulation.Sabotage>): Simulation.Sabotage =>
  (ports) =>
    all.reduce((before, sabotage) => sabotage(before), ports)
