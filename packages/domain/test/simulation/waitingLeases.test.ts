import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { all } from "../../testing/simulation/oracles/index.js"
import { FAR, inScene, type Scene, SECOND } from "./plants/scene.js"

/**
 * A worker dies while its receiver is slow. No other worker may claim the delivery until the lease of 30 s ends,
 * whatever users and developers do during this time. Then a worker makes the same attempt again, if it is still
 * allowed.
 */

interface Deed {
  readonly what: string
  readonly deed: (scene: Scene, deliveryId: string) => Effect.Effect<unknown, unknown>
  /** The number of POSTs that arrive at the receiver, including the first. */
  readonly posts: number
  readonly state: string
  readonly failReason: string | null
}

const deeds: ReadonlyArray<Deed> = [
  { what: "nobody asks for anything", deed: () => Effect.void, posts: 2, state: "delivered", failReason: null },
  {
    what: "its developer asks for the next attempt at once",
    deed: ({ app, world }, deliveryId) => world.perform("retryNow", { appId: app.id, deliveryId }, "developer"),
    posts: 2,
    state: "delivered",
    failReason: null
  },
  {
    what: "its developer asks to send it again",
    deed: ({ app, world }, deliveryId) =>
      Effect.map(world.perform("redeliver", { appId: app.id, deliveryId }, "developer"), (outcome) =>
        expect(outcome._tag).toBe("refused")
      ),
    posts: 2,
    state: "delivered",
    failReason: null
  },
  { what: "its secret is replaced", deed: ({ hook }) => hook.rotate, posts: 2, state: "delivered", failReason: null },
  {
    what: "the connection ends",
    deed: ({ connection }) => connection.revoke(),
    posts: 1,
    state: "failed",
    failReason: "not_authorised"
  },
  {
    what: "its endpoint is removed",
    deed: ({ hook }) => hook.remove,
    posts: 1,
    state: "failed",
    failReason: "endpoint_removed"
  }
]

/** With `perEndpoint: 1` a worker makes no first attempt from memory: it stores every delivery and claims it. */
const config = { seed: 1, worker: { pollEvery: "1 second", perEndpoint: 1 }, oracles: all } as const

describe("a delivery waits for the lease of a worker that died", () => {
  it.each(deeds.map((one) => [one.what, one] as const))("%s", (_, { deed, failReason, posts, state }) => {
    const observed: Array<unknown> = []
    const { stopped, violations } = Simulation.runSync(
      config,
      inScene((scene) =>
        Effect.gen(function* () {
          const { home, hook, rule, walk, world } = scene
          yield* rule("enter")
          yield* hook.script(["hang", 200])
          yield* walk(FAR, home)
          yield* world.advance(SECOND)
          const [first] = yield* hook.received
          yield* world.crash("worker")
          const [row] = yield* hook.deliveries
          yield* deed(scene, row?.deliveryId ?? "")
          // A worker claims deliveries as soon as it starts. This worker starts two milliseconds before the lease of
          // the dead worker ends, so its first claim must not get the delivery.
          yield* world.advanceTo((first?.t ?? 0) + 30 * SECOND - 2)
          yield* world.restart("worker")
          yield* world.advance(1)
          observed.push((yield* hook.received).length)
          yield* world.quiesce()
          observed.push((yield* hook.received).length)
          const [ended] = yield* hook.deliveries
          observed.push(ended?.state, ended?.failReason)
        })
      )
    )
    expect({ stopped, violations }).toEqual({ stopped: null, violations: [] })
    expect(observed).toEqual([1, posts, state, failReason])
  })
})
