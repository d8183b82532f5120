import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { connected, HOUR, ME } from "./plants/connected.js"
import { FAR, HOME, inScene, MINUTE } from "./plants/scene.js"

/** Runs a scenario that can back up its database and restore the backup. */
const run = (
  scenario: (world: Simulation.World, backups: Simulation.MemoryWithBackups) => Effect.Effect<unknown, unknown>
) => {
  const backups = Simulation.withBackups()
  const config = { seed: 1, backend: backups.backend, worker: { pollEvery: "1 second" } } as const
  const { stopped, violations } = Simulation.runSync(config, (world) => scenario(world, backups))
  expect({ stopped, violations }).toEqual({ stopped: null, violations: [] })
}

describe("a backup of an hour ago is put back, and the world outside goes on [simulation-2]", () => {
  it("what was delivered meanwhile is delivered again, under the same ids", () =>
    run((world, { backUp, restore }) =>
      inScene((scene) =>
        Effect.gen(function* () {
          yield* scene.hook.script([500, 200])
          yield* scene.rule()
          yield* scene.walk(FAR, HOME)
          yield* world.advance("10 seconds")
          backUp()
          yield* world.advance("1 hour")
          yield* world.restore(restore)
          yield* world.advance("1 hour")
          const posts = yield* scene.hook.received
          expect(posts.map(({ reply }) => reply)).toEqual([500, 200, 200])
          expect(new Set(posts.map(({ body }) => body["event_id"])).size).toBe(1)
          expect((yield* scene.hook.deliveries).map(({ attempt, state }) => [state, attempt])).toEqual([
            ["delivered", 2]
          ])
        })
      )(world)
    ))

  it("what happened meanwhile and was sent is not sent again: its event is gone", () =>
    run((world, { backUp, restore }) =>
      inScene((scene) =>
        Effect.gen(function* () {
          yield* scene.rule()
          yield* scene.walk(FAR)
          backUp()
          yield* scene.walk(HOME)
          yield* world.advance("1 hour")
          expect(yield* scene.hook.received).toHaveLength(1)
          yield* world.restore(restore)
          yield* world.advance("1 hour")
          expect(yield* scene.hook.received).toHaveLength(1)
          expect(yield* scene.hook.deliveries).toEqual([])
        })
      )(world)
    ))

  it("tokens of meanwhile are refused, and the tokens of before still work", () =>
    run((world, { backUp, restore }) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world)
        const before = connection.tokens
        const call = (token: string) =>
          Effect.map(world.perform("call", { appId: connection.app.id, token, request: ME }), (done) =>
            done._tag === "ok" ? done.value.status : done._tag
          )
        backUp()
        yield* world.advance(10 * MINUTE)
        yield* connection.refresh
        const lost = connection.tokens
        yield* world.restore(restore)
        expect(yield* call(lost.accessToken)).toBe(401)
        expect(yield* connection.present(lost.refreshToken)).toMatchObject({ _tag: "refused", error: "invalid_grant" })
        expect(yield* call(before.accessToken)).toBe(200)
        expect(yield* connection.present(before.refreshToken)).toMatchObject({ _tag: "ok" })
      })
    ))

  it("a connection that its user ended meanwhile lives again", () =>
    run((world, { backUp, restore }) =>
      Effect.gen(function* () {
        const { ana, connection } = yield* connected(world)
        backUp()
        yield* world.advance(HOUR / 2)
        yield* ana.disconnect(connection)
        expect(yield* Effect.map(connection.call(ME), ({ status }) => status)).toBe(401)
        yield* world.restore(restore)
        expect(yield* Effect.map(connection.call(ME), ({ status }) => status)).toBe(200)
      })
    ))
})
