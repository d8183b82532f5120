import { type AccessLogEntry, AccessLogStore } from "@place-access/domain/access-log"
import { Page, type StoreError, type UserId } from "@place-access/domain/shared"
import { Simulation } from "@place-access/domain/testing"
import { Effect, FiberRef } from "effect"
import { connected, ME, MINUTE, STANDARD } from "./connected.js"
import { instead, type Plant } from "./plant.js"
import { FAR, inScene, type Scene } from "./scene.js"

/**
 * A phone sends its arrival at home two minutes late. The rule's events may be at most 30 s old, so the event is
 * withheld.
 */
const withheld = ({ home, phone, rule, walk, world }: Scene) =>
  Effect.gen(function* () {
    yield* rule("enter", { maxEventAgeS: 30 })
    yield* walk(FAR)
    yield* phone.offline
    yield* walk(home)
    yield* world.advance(2 * MINUTE)
    yield* phone.online()
    yield* world.advance(2 * MINUTE)
  })

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "A1",
    what: "every seventh entry is dropped",
    sabotage: instead(AccessLogStore, (store) => {
      let count = 0
      return { record: (entry) => Effect.suspend(() => (++count % 7 === 0 ? Effect.void : store.record(entry))) }
    }),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world)
        yield* Effect.replicateEffect(connection.call(ME), 8)
      })
  },
  {
    oracle: "A2",
    what: "a log shows everybody's entries",
    sabotage: instead(AccessLogStore, (store) => {
      const users = new Set<UserId>()
      return {
        record: (entry) => Effect.suspend(() => store.record((users.add(entry.userId), entry))),
        list: (userId, filter, limit, after) =>
          Effect.map(
            Effect.forEach(new Set([userId, ...users]), (one) => store.list(one, filter, limit, after)),
            (pages) => {
              const all = pages.flatMap(({ items }) => items).sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
              return Page.of(all, limit, (last) => [last.at, last.id])
            }
          )
      }
    }),
    scenario: (world) =>
      Effect.gen(function* () {
        const { app, connection } = yield* connected(world)
        const ben = yield* world.user("ben")
        yield* connection.call(ME)
        yield* (yield* app.connect(ben, { scopes: STANDARD })).call(ME)
      })
  },
  {
    oracle: "A3",
    what: "a withheld event has no entry",
    sabotage: instead(AccessLogStore, (store) => ({
      recordUnless: (entry, keys) => (entry.error === "too_old" ? Effect.void : store.recordUnless(entry, keys))
    })),
    scenario: inScene(withheld)
  },
  {
    oracle: "A4",
    what: "entries wait for a third one in the memory of the process",
    sabotage: instead(AccessLogStore, (store) => {
      const waiting = new Map<Simulation.Process.Process, ReadonlyArray<AccessLogEntry.AccessLogEntry>>()
      const write = Effect.suspend(() => {
        const entries = [...waiting].flatMap(([process, entries]) => (process.isAlive ? entries : []))
        waiting.clear()
        return Effect.forEach(entries, store.record, { discard: true })
      })
      return {
        record: (entry) =>
          Effect.flatMap(FiberRef.get(Simulation.Process.current), (process) => {
            const own = [...(waiting.get(process) ?? []), entry]
            waiting.set(process, own)
            return own.length < 3 ? Effect.void : write
          }),
        list: (userId, filter, limit, after) => Effect.zipRight(write, store.list(userId, filter, limit, after))
      }
    }),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world)
        yield* connection.call(ME)
        yield* world.crash("server")
        yield* world.restart("server")
      })
  },
  {
    oracle: "A4",
    what: "the entry of a withheld event stays in the memory of the worker",
    sabotage: instead(AccessLogStore, (store) => {
      const waiting = new Map<Simulation.Process.Process, ReadonlyArray<Effect.Effect<void, StoreError>>>()
      return {
        recordUnless: (entry, keys) =>
          Effect.map(FiberRef.get(Simulation.Process.current), (process) => {
            waiting.set(process, [...(waiting.get(process) ?? []), store.recordUnless(entry, keys)])
          }),
        list: (userId, filter, limit, after) =>
          Effect.suspend(() => {
            const writes = [...waiting].flatMap(([process, writes]) => (process.isAlive ? writes : []))
            waiting.clear()
            return Effect.zipRight(Effect.all(writes), store.list(userId, filter, limit, after))
          })
      }
    }),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* withheld(scene)
        yield* scene.world.crash("worker")
        yield* scene.world.restart("worker")
      })
    )
  }
]
