import { ConnectionStore, Pause, type WithApp } from "@place-access/domain/connection"
import { EventStore } from "@place-access/domain/deliveries"
import { FixStore } from "@place-access/domain/fixes"
import { HistoryStore } from "@place-access/domain/retention-choice"
import type { LiveRule } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { TierStore } from "@place-access/domain/sweeps"
import type { Simulation } from "@place-access/domain/testing"
import { VisitStore } from "@place-access/domain/visits"
import { Context, Effect, Option, Struct } from "effect"
import { connected, DAY, found, HOUR, LATEST, ME, MINUTE, withConnection } from "./connected.js"
import { instead, type Plant } from "./plant.js"
import { eachRule, seeing } from "./rules.js"
import { FAR, HOME, inScene, type Scene } from "./scene.js"

/** Deliberate bugs (plants) in what users change: pauses, permissions, end dates, and deleted stretches of history. */

const CURRENT = { endpoint: "GET /v1/answers/current-place", maxAgeS: 900 } as const
const VISITS = { endpoint: "GET /v1/visits", from: null, to: null, limit: 100, cursor: null } as const

/** Plants a bug in the check before an attempt: `change` falsifies what the check reads about the connection. */
const permitting = (change: (found: Authorisation) => Authorisation): Simulation.Sabotage =>
  instead(EventStore, (store) => ({
    authorisation: (...args) => Effect.map(store.authorisation(...args), Option.map(change))
  }))

type Authorisation = Option.Option.Value<Effect.Effect.Success<ReturnType<typeof EventStore.Service.authorisation>>>

/** Plants a bug in decisions about a connection: `tamper` falsifies the connection that the decisions get. */
const deciding = (tamper: (state: WithApp) => Partial<WithApp["connection"]>): Simulation.Sabotage =>
  instead(ConnectionStore, (store) => ({
    change: (id, decide) => store.change(id, (state, now) => decide(withConnection(state, tamper(state)), now))
  }))

/** Plants a bug: an upload also evaluates the rules of a paused app, if an earlier upload has evaluated them. */
const pausedRulesToo = (ports: Context.Context<Simulation.Ports>) => {
  const seen = new Map<string, LiveRule.LiveRule>()
  return instead(FixStore, (store, all) => ({
    view: (userId, sent, now) =>
      Effect.gen(function* () {
        const view = yield* store.view(userId, sent, now)
        const there = new Set(view.rules.map(({ rule }) => rule.id))
        for (const live of view.rules) seen.set(live.rule.id, live)
        const paused: Array<LiveRule.LiveRule> = []
        for (const live of seen.values()) {
          if (live.rule.userId !== userId || there.has(live.rule.id)) continue
          const held = yield* Context.get(all, ConnectionStore).findOfUser(userId, live.rule.connectionId)
          if (Option.exists(held, ({ connection }) => Pause.isOn(connection.pause, now))) paused.push(live)
        }
        return { ...view, rules: [...view.rules, ...paused] }
      })
  }))(ports)
}

/**
 * A scenario: Ana walks home, a rule fires, and the first attempt of the webhook fails. Then `then` runs, before the
 * retry.
 */
const waiting = (then: (scene: Scene) => Effect.Effect<unknown, unknown>): Plant["scenario"] =>
  inScene((scene) =>
    Effect.gen(function* () {
      yield* scene.rule()
      yield* scene.hook.script([500, 200])
      yield* scene.walk(FAR, HOME)
      yield* scene.world.settle
      yield* then(scene)
      yield* scene.world.advance(HOUR)
    })
  )

/** Deletes the last `millis` milliseconds of Ana's history. */
const eraseLast = ({ ana, world }: Scene, millis: number) =>
  Effect.flatMap(world.now, (now) => ana.erase(now - millis, now))

const pauses: ReadonlyArray<Plant> = [
  {
    oracle: "G1",
    what: "a pause does not reach the answers",
    sabotage: found((one) => withConnection(one, { pause: null })),
    scenario: inScene(({ ana, connection, walk }) =>
      Effect.gen(function* () {
        yield* walk(HOME)
        yield* ana.pause(connection)
        yield* connection.call(CURRENT)
      })
    )
  },
  {
    oracle: "G1",
    what: "a paused app does not read why nothing is known",
    sabotageAnswers: (_, { body: { reason: _reason, ...body }, ...answer }) => ({ ...answer, body }),
    scenario: inScene(({ ana, connection, walk }) =>
      Effect.gen(function* () {
        yield* walk(HOME)
        yield* ana.pause(connection)
        yield* connection.call(CURRENT)
      })
    )
  },
  {
    oracle: "G2",
    what: "uploads are evaluated against the rules of paused apps",
    isRare:
      "the worker looks at the pause once more before it sends, so that only a crossing just before the end shows",
    sabotage: pausedRulesToo,
    scenario: inScene(({ ana, connection, rule, walk, world }) =>
      Effect.gen(function* () {
        yield* rule()
        yield* walk(FAR, FAR)
        yield* ana.pause(connection)
        yield* walk(HOME)
        yield* world.advance(HOUR)
      })
    )
  },
  {
    oracle: "G2",
    what: "a rule keeps its side through a pause",
    sabotage: eachRule((live) => ({ ...live, state: { ...live.state, basis: live.basis } })),
    scenario: inScene(({ ana, connection, rule, walk, world }) =>
      Effect.gen(function* () {
        yield* rule()
        yield* walk(FAR)
        yield* ana.pause(connection, "hour")
        yield* walk(FAR)
        yield* world.advance(HOUR)
        yield* walk(HOME)
        yield* world.advance(HOUR)
      })
    )
  },
  {
    oracle: "G2",
    what: "what was captured during a pause fires once it is over",
    sabotage: eachRule((live) => ({ ...live, firesFrom: live.rule.createdAt })),
    scenario: inScene(({ ana, connection, phone, rule, walk, world }) =>
      Effect.gen(function* () {
        yield* rule()
        yield* ana.pause(connection)
        yield* phone.offline
        yield* walk(FAR, HOME)
        yield* world.advance(MINUTE)
        yield* ana.resume(connection)
        yield* phone.online()
        yield* world.advance(HOUR)
      })
    )
  },
  {
    oracle: "G3",
    what: "an event that waits is sent although its app was paused",
    sabotage: permitting((one) => ({ ...one, connection: { ...one.connection, pause: null } })),
    scenario: waiting(({ ana, connection }) => ana.pause(connection))
  },
  {
    oracle: "G3",
    what: "an event that waited through a pause is sent afterwards",
    sabotage: instead(EventStore, (store) => ({
      authorisation: (...args) =>
        Effect.flatMap(Timestamp.now, (now) =>
          Effect.map(
            store.authorisation(...args),
            Option.map((one) =>
              Pause.isOn(one.connection.pause, now) ? one : { ...one, connection: { ...one.connection, pause: null } }
            )
          )
        )
    })),
    scenario: waiting(({ ana, connection, world }) =>
      Effect.gen(function* () {
        yield* ana.pause(connection)
        yield* world.advance(10_000)
        yield* ana.resume(connection)
      })
    )
  }
]

const permissions: ReadonlyArray<Plant> = [
  {
    oracle: "S3",
    what: "exact location still works after its user ended it",
    sabotage: instead(ConnectionStore, (store) => ({
      change: (id, decide) =>
        store.change(id, (state, now) => {
          const decision = decide(state, now)
          return { ...decision, writes: decision.writes.filter(({ _tag }) => _tag !== "SetScopes") }
        })
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { ana, connection } = yield* connected(world)
        yield* ana.endExactLocation(connection)
        yield* connection.call(LATEST)
      })
  },
  {
    oracle: "T12",
    what: "an end that the user moved stays where it was",
    sabotage: instead(ConnectionStore, (store) => ({
      change: (id, decide) =>
        store.change(id, (state, now) => {
          const decision = decide(state, now)
          return { ...decision, writes: decision.writes.filter(({ _tag }) => _tag !== "SetEnd") }
        })
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { ana, connection } = yield* connected(world, { standardDays: 90 })
        yield* ana.steer(connection, { standardDays: 1 })
        yield* connection.call(ME)
      })
  },
  {
    oracle: "G4",
    what: "a new date revives a connection that has ended",
    sabotage: deciding(() => ({ endedAt: null, standardExpiresAt: null })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { ana, connection } = yield* connected(world, { standardDays: 1 })
        yield* world.advance(DAY)
        yield* ana.steer(connection, { standardDays: 30 })
      })
  },
  {
    oracle: "G5",
    what: "a user gives back what they never agreed to",
    isRare: "the people of the swarm agree to every scope first, so there is little that they never agreed to",
    sabotage: deciding(({ app }) => ({ agreedScopes: app.declaredScopes })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { ana, connection } = yield* connected(world, { granted: ["location.place.current"] })
        yield* ana.steer(connection, { scopes: ["location.place.current", "location.visits.read"] })
      })
  },
  {
    oracle: "G5",
    what: "a user gives back what the grace period removed",
    isRare: "few runs go on after a grace has passed, and its user then seldom gives exact location back",
    sabotage: instead(TierStore, (store) => ({
      sweep: (due, decide) =>
        store.sweep(due, (state, now) => {
          const sweep = decide(state, now)
          return {
            ...sweep,
            writes: sweep.writes.map((write) =>
              write._tag === "SetScopes" ? Struct.omit(write, "agreedScopes") : write
            )
          }
        })
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { ana, connection } = yield* connected(world, { sensitiveDays: 1 })
        yield* world.advance(16 * DAY)
        yield* ana.steer(connection, { scopes: ["location.place.current", "location.latest.read"] })
      })
  }
]

/**
 * Plants a bug: when the departure of a stay becomes earlier, for example because the user deleted a stretch of
 * history, the store still returns the old, later departure.
 */
const endsAsTheyWere = (ports: Context.Context<Simulation.Ports>) => {
  const ends = new Map<string, Timestamp.Timestamp | null>()
  return instead(VisitStore, (store) => ({
    stays: (query) =>
      Effect.map(store.stays(query), (stays) =>
        stays.map((stay) => {
          const key = `${stay.deviceId} ${stay.placeId} ${stay.arrival}`
          const before = ends.get(key)
          if (before !== undefined && stay.departure !== null && (before ?? Infinity) > stay.departure)
            return { ...stay, departure: before }
          ends.set(key, stay.departure)
          return stay
        })
      )
  }))(ports)
}

const deletions: ReadonlyArray<Plant> = [
  {
    oracle: "E1",
    what: "a deletion is remembered, and deletes nothing",
    sabotage: instead(HistoryStore, () => ({ erase: () => Effect.succeed(true) })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.walk(HOME, FAR)
        yield* scene.world.advance(1)
        yield* eraseLast(scene, 2 * MINUTE)
        yield* scene.connection.call(CURRENT)
      })
    )
  },
  {
    oracle: "E1",
    what: "an upload brings back what was deleted",
    sabotage: seeing(() => ({ erasures: [] })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.walk(HOME)
        const capturedAt = yield* scene.world.now
        yield* scene.world.advance(MINUTE)
        yield* eraseLast(scene, 5 * MINUTE)
        yield* scene.phone.fix({ ...HOME, capturedAt })
        yield* scene.ana.history
      })
    )
  },
  {
    oracle: "E1",
    what: "a stay goes on through a deleted stretch",
    isRare: "few runs ask for a stay before and after a stretch that cuts it off is deleted",
    sabotage: endsAsTheyWere,
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.walk(HOME, HOME, HOME, HOME, HOME, HOME, HOME, HOME, HOME, HOME)
        yield* scene.connection.call(VISITS)
        yield* eraseLast(scene, 2 * MINUTE)
        yield* scene.connection.call(VISITS)
      })
    )
  },
  {
    oracle: "E1",
    what: "an open visit of a phone goes on through a deleted stretch",
    isRare: "phones seldom report an open visit, and its later part is then seldom deleted",
    sabotage: instead(HistoryStore, () => ({ erasures: () => Effect.succeed([]) })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        const now = yield* scene.world.now
        yield* scene.phone.visit({ ...HOME, arrival: now, departure: null })
        yield* scene.world.advance(HOUR)
        yield* eraseLast(scene, 10 * MINUTE)
        yield* scene.connection.refresh
        yield* scene.connection.call(VISITS)
      })
    )
  },
  {
    oracle: "E2",
    what: "a late reading of a deleted stretch fires a rule",
    isRare: "a reading that comes after its deletion seldom crosses the edge of a place, young enough to fire",
    sabotage: seeing(() => ({ erasures: [] })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.rule()
        yield* scene.walk(FAR, FAR)
        const capturedAt = yield* scene.world.now
        yield* scene.world.advance(3 * MINUTE)
        yield* eraseLast(scene, MINUTE)
        yield* scene.phone.fix({ ...HOME, capturedAt: capturedAt + 150_000 })
        yield* scene.world.advance(HOUR)
      })
    )
  },
  {
    oracle: "E3",
    what: "an event of a deleted stretch is sent",
    sabotage: permitting(({ isErased: _isErased, ...one }) => one),
    scenario: waiting((scene) => Effect.zipRight(scene.world.advance(1), eraseLast(scene, MINUTE)))
  }
]

export const plants: ReadonlyArray<Plant> = [...pauses, ...permissions, ...deletions]
