import { Simulation } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { watched } from "./plants/listeners.js"

/** Runs a scenario in which a developer listens to the app's events. Ana comes home, and then `then` runs. */
const walkHome = (
  seed: number,
  then: (
    stage: Effect.Effect.Success<ReturnType<typeof watched>> & { readonly listening: Simulation.Listening }
  ) => Effect.Effect<unknown, unknown>
) =>
  Simulation.runSync({ seed, scheduling: "random" }, (world) =>
    Effect.gen(function* () {
      const stage = yield* watched(world)
      const listening = yield* stage.app.listen()
      yield* stage.walk("in")
      yield* then({ ...stage, listening })
    })
  )

const kindOf = (message: Simulation.ReceivedMessage): string =>
  message._tag === "Event" ? String(message.body["type"]) : message._tag === "End" ? message.reason : "dropped"

describe("somebody listens to an app's events in the simulated world", () => {
  it("gets them signed, and none after leaving", () => {
    const result = walkHome(1, ({ listening, walk }) =>
      Effect.gen(function* () {
        yield* listening.stop
        yield* walk("out")
        const messages = yield* listening.messages
        expect(messages.map(kindOf)).toEqual(["place.enter", "left"])
        expect(messages[0]).toMatchObject({ signatures: 1, verifiedBy: ["signing-secret-2"] })
      })
    )
    expect([result.stopped, result.violations]).toEqual([null, []])
  })

  it("loses the stream with the session, at the next heartbeat or before the next event", () => {
    const result = walkHome(2, ({ listening, walk, world }) =>
      Effect.gen(function* () {
        yield* listening.signOut
        yield* world.advance("16 seconds")
        yield* walk("out")
        expect((yield* listening.messages).map(kindOf)).toEqual(["place.enter", "signed_out"])
      })
    )
    expect([result.stopped, result.violations]).toEqual([null, []])
  })

  it("loses the stream with the server, and can listen again", () => {
    const result = walkHome(3, ({ app, listening, walk, world }) =>
      Effect.gen(function* () {
        yield* world.crash("server")
        yield* world.restart("server")
        const second = yield* app.listen()
        yield* walk("out")
        expect([(yield* listening.messages).map(kindOf), (yield* second.messages).map(kindOf)]).toEqual([
          ["place.enter"],
          ["place.exit"]
        ])
      })
    )
    expect([result.stopped, result.violations]).toEqual([null, []])
  })
})
