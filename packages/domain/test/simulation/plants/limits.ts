import { ConnectionStore } from "@place-access/domain/connection"
import { type Authorisation, EventStore } from "@place-access/domain/deliveries"
import type { Movement } from "@place-access/domain/devices"
import { Fix, FixStore, type Quarantined, type StoredUpload } from "@place-access/domain/fixes"
import { PlaceStore } from "@place-access/domain/places"
import type { LiveRule } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { Simulation } from "@place-access/domain/testing"
import { TokenStore } from "@place-access/domain/tokens"
import { Array as Arr, Effect, Option, Struct, flow } from "effect"
import { connected, CURRENT, LATEST, ME, STANDARD } from "./connected.js"
import { instead, type Plant, readingAhead } from "./plant.js"
import { eachRule, firingsAsOf, seeing, withState } from "./rules.js"
import { DAY, FAR, HOME, HOUR, inScene, MINUTE, north, type Scene, SECOND } from "./scene.js"

/** Deliberate bugs (plants) at limits that only the stories of `LIMITS` in `plan/pieces.ts` reach often. */

const presence = ({ connection, home }: Scene) =>
  connection.call({ endpoint: "GET /v1/answers/places/{place_id}/presence", placeId: home.id, maxAgeS: 900 })

/**
 * Plants a bug in the check whether an event may still be sent. The bug affects both events whose data the store read
 * ahead with `pending` and events whose data the worker reads later.
 */
const authorising = (change: (found: Authorisation.Authorisation) => Authorisation.Authorisation) =>
  flow(
    instead(EventStore, (store) => ({
      authorisation: (...args) => Effect.map(store.authorisation(...args), Option.map(change))
    })),
    readingAhead(({ authorisation, ...rest }) => ({ ...rest, authorisation: change(authorisation) }))
  )

/** Plants a bug: no program notices that a place was archived. */
const withoutArchiving = instead(PlaceStore, (store) => ({
  list: (userId) =>
    Effect.map(
      store.list(userId),
      Arr.map((place) => ({ ...place, archivedAt: null }))
    )
}))

/** Plants a bug: the rules of a place that was archived are evaluated as before, and their events are sent. */
const rulesOfArchivedPlaces: Simulation.Sabotage = (ports) => {
  const archived = new Set<string>()
  const seen = new Map<string, LiveRule.LiveRule>()
  return flow(
    instead(ConnectionStore, (store) => ({
      archivePlace: (userId, placeId, decide) =>
        Effect.tap(store.archivePlace(userId, placeId, decide), () => Effect.sync(() => archived.add(placeId)))
    })),
    instead(FixStore, (store) => ({
      commit: (commit) => {
        for (const { ruleId, state } of commit.states) {
          const live = seen.get(ruleId)
          if (live !== undefined) seen.set(ruleId, { ...live, state })
        }
        return store.commit(commit)
      }
    })),
    seeing(({ rules }, _now, _fixes, userId) => {
      for (const live of rules) seen.set(live.rule.id, live)
      const gone = [...seen.values()].filter(
        ({ rule: { id, target, userId: owner } }) =>
          owner === userId &&
          target._tag === "Place" &&
          archived.has(target.placeId) &&
          !rules.some(({ rule }) => rule.id === id)
      )
      return { rules: [...rules, ...gone] }
    }),
    authorising((found) => ({ ...found, ruleStands: true }))
  )(ports)
}

/** A scenario in which Ana archives her home, comes home, and the app asks. */
const comesHomeAfterArchiving = (ask: (scene: Scene) => Effect.Effect<unknown, unknown>) =>
  inScene((scene) =>
    Effect.gen(function* () {
      const { ana, home, rule, walk, world } = scene
      yield* rule()
      yield* walk(FAR)
      yield* ana.archive(home)
      yield* walk(HOME)
      yield* ask(scene)
      yield* world.advance(HOUR)
    })
  )

/**
 * The fix of a reading that was quarantined because its capture time was in the future, but at most 90 minutes after
 * its arrival. Empty for any other reading.
 */
const ahead = ({ reading, reason }: Quarantined, receivedAt: number): ReadonlyArray<Fix.Fix> => {
  if (reason !== "future" || !("capturedAt" in reading) || reading.capturedAt - receivedAt > 90 * MINUTE) return []
  const judged = Fix.judge(reading, reading.capturedAt)
  return judged._tag === "Fix" ? [judged.fix] : []
}

/** Plants a bug: an upload gets movements of the user's devices that `change` has falsified. */
const moving = (change: (movement: Movement.Movement, newestAt: number) => Movement.Movement) =>
  seeing(({ devices }, _now, fixes) => ({
    devices: devices.map((device) => ({
      ...device,
      movement:
        device.movement === null
          ? null
          : change(device.movement, Math.max(...fixes.map(({ capturedAt }) => capturedAt)))
    }))
  }))

/**
 * A scenario: while Ana is away with her phone, somebody takes her tablet from her home to another place for `awayMs`.
 */
const tabletAway = (awayMs: number) =>
  inScene((scene) =>
    Effect.gen(function* () {
      const { ana, rule, walk, world } = scene
      const tablet = yield* ana.phone("tablet")
      yield* rule()
      yield* tablet.fix(HOME)
      yield* walk(HOME, FAR)
      yield* world.advance(MINUTE)
      yield* tablet.fix(north(5_000))
      yield* world.advance(awayMs)
      yield* tablet.fix(HOME)
      yield* presence(scene)
      yield* world.advance(HOUR)
    })
  )

const isOfRedirectUri = (outcome: unknown): boolean =>
  (outcome as { readonly why?: unknown } | undefined)?.why === "redirect_uri_differs"

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "H4",
    what: "events of a rule with its own address go to the other endpoints too",
    sabotage: flow(
      instead(EventStore, (store) => ({
        pending: (...args) =>
          Effect.map(store.pending(...args), ({ events, ...rest }) => ({
            ...rest,
            events: events.map((event) => ({ ...event, webhookUrl: null }))
          }))
      })),
      authorising(Struct.omit("webhookUrl"))
    ),
    scenario: inScene(({ app, hook, rule, walk }) =>
      Effect.gen(function* () {
        yield* app.endpoint("second")
        yield* rule("enter", { webhookUrl: hook.url })
        yield* walk(FAR, HOME)
      })
    )
  },
  {
    oracle: "R6",
    what: "a dwell fires again in the same stay",
    sabotage: eachRule((live) => withState(live, { dwellSpent: false })),
    scenario: inScene(({ rule, walk }) =>
      Effect.zipRight(rule("dwell"), walk(FAR, ...Array.from({ length: 10 }, () => HOME)))
    )
  },
  {
    oracle: "R5",
    what: "a fix of 16 minutes counts as fresh",
    sabotage: firingsAsOf(({ receivedAt }) => Timestamp.plus(receivedAt, -MINUTE)),
    scenario: inScene(({ phone, rule, walk, world }) =>
      Effect.gen(function* () {
        yield* rule()
        yield* walk(FAR)
        yield* phone.offline
        yield* walk(HOME)
        yield* world.advance(15 * MINUTE + SECOND)
        yield* phone.online()
        // The planted bug stored the event without a signal to the workers, so a worker finds the event only at its
        // next poll.
        yield* world.advance(HOUR)
      })
    )
  },
  {
    oracle: "V7",
    what: "an archived place still has a presence",
    sabotage: withoutArchiving,
    scenario: comesHomeAfterArchiving(presence)
  },
  {
    oracle: "Q2",
    what: "an archived place is still the current place",
    sabotage: withoutArchiving,
    scenario: comesHomeAfterArchiving(({ connection }) => connection.call(CURRENT))
  },
  {
    oracle: "R7",
    what: "rules of an archived place are evaluated as before",
    sabotage: rulesOfArchivedPlaces,
    scenario: comesHomeAfterArchiving(() => Effect.void)
  },
  {
    oracle: "Q4",
    what: "a reading that is 90 minutes ahead is stored as a fix",
    sabotage: instead(FixStore, (store) => ({
      commit: (commit) =>
        store.commit({
          ...commit,
          uploads: Arr.map(commit.uploads, (upload): StoredUpload => ({
            ...upload,
            fixes: [...upload.fixes, ...upload.quarantined.flatMap((one) => ahead(one, upload.receivedAt))]
          }))
        })
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { ana, connection } = yield* connected(world)
        const phone = yield* ana.phone()
        yield* phone.fix({ ...HOME, capturedAt: (yield* world.now) + 90 * MINUTE })
        yield* connection.call(LATEST)
      })
  },
  {
    oracle: "F1",
    what: "readings of more than a day ago are not kept, although their owner keeps all history",
    sabotage: seeing((_view, now) => ({ cutoff: Timestamp.make(now - DAY) })),
    scenario: inScene(({ phone, world }) =>
      Effect.flatMap(world.now, (now) => phone.fix({ ...HOME, capturedAt: now - DAY - 1 }))
    )
  },
  {
    oracle: "R12",
    what: "nothing checks which phone moved last",
    sabotage: seeing(({ devices }) => ({ devices: devices.map((one) => ({ ...one, movement: null })) })),
    scenario: inScene(({ ana, phone, rule, world }) =>
      Effect.gen(function* () {
        const tablet = yield* ana.phone("tablet")
        yield* rule("enter")
        yield* rule("exit")
        // For 14 of these 20 minutes, the phone is away from home. The tablet stays at home.
        for (let minute = 0; minute < 20; minute++) {
          yield* world.advance(MINUTE)
          yield* tablet.fix(HOME)
          yield* world.advance(SECOND)
          yield* phone.fix(minute >= 2 && minute < 16 ? FAR : HOME)
        }
      })
    )
  },
  {
    oracle: "R12",
    what: "after a deletion nothing knows which phone moved last",
    sabotage: seeing(({ devices, erasures }) =>
      erasures.length === 0 ? {} : { devices: devices.map((one) => ({ ...one, movement: null })) }
    ),
    isRare: "the swarm rarely lets two phones of one person send from two places, and deletes while one of them rests",
    scenario: inScene(({ ana, phone, rule, walk, world }) =>
      Effect.gen(function* () {
        const tablet = yield* ana.phone("tablet")
        yield* rule()
        yield* tablet.fix(HOME)
        yield* walk(HOME, FAR)
        const away = yield* world.now
        for (let minute = 0; minute < 6; minute++) {
          yield* world.advance(MINUTE)
          yield* phone.fix(FAR)
        }
        yield* world.advance(SECOND)
        yield* ana.erase(away + 2 * MINUTE, yield* world.now)
        for (let minute = 0; minute < 6; minute++) {
          yield* world.advance(MINUTE)
          yield* tablet.fix(HOME)
          yield* world.advance(MINUTE)
          yield* phone.fix(FAR)
        }
      })
    )
  },
  {
    oracle: "R12",
    what: "one wrong reading of a tablet at home makes it the device that moved last",
    sabotage: moving((movement) => ({ ...movement, before: null })),
    scenario: tabletAway(5 * MINUTE)
  },
  {
    oracle: "Q1",
    what: "a device that comes back counts as one that never moved, however long it was away",
    sabotage: moving((movement, newestAt) =>
      movement.before === null ? movement : { ...movement, movedAt: Timestamp.make(newestAt) }
    ),
    scenario: tabletAway(16 * MINUTE)
  },
  {
    oracle: "T6",
    what: "the redirect URI of an exchange is not compared",
    sabotage: instead(TokenStore, (store) => ({
      change: (id, presented, decide) =>
        store.change(id, presented, (state, now) => {
          const decision = decide(state, now)
          if (!isOfRedirectUri(decision.outcome)) return decision
          const code = Option.map(state.code, (one) => ({ ...one, redirectUri: Simulation.WRONG_REDIRECT_URI }))
          return decide({ ...state, code: code as typeof state.code }, now)
        })
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { ana, app } = yield* connected(world)
        const { code } = yield* app.consent(ana, { scopes: STANDARD, standardDays: null })
        const args = { appId: app.id, code, verifier: "right", client: "right" } as const
        yield* world.perform("exchange", { ...args, redirectUri: "wrong" })
        const set = yield* app.exchange(code)
        yield* world.perform("call", { appId: app.id, token: set.accessToken, request: ME })
      })
  }
]
