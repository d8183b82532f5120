import { Clock, Cron, DateTime, Effect, Fiber, GlobalValue, Random, Utils } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"

/**
 * Tests of private parts of `effect` that the engine of the simulation uses. The tests call only `effect`, not the
 * engine. So a failure after an upgrade of `effect` shows which of these parts, listed in engine/README.md, has
 * changed. `guardInBundle.test.ts` tests the part that needs a bundle.
 */
const SEE = "see packages/domain/testing/simulation/engine/README.md"

it("effect keeps its root fibers in a global value, where the engine finds them", () => {
  const { roots } = GlobalValue.globalValue(Symbol.for("effect/FiberScope/Global"), () => ({
    roots: new Set<unknown>()
  }))
  const fiber = Effect.runFork(Effect.never)
  expect(roots.has(fiber), `Root fibers are kept elsewhere: ${SEE}`).toBe(true)
  Effect.runFork(Fiber.interrupt(fiber))
})

describe("files of effect that pass on the host's time and randomness", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })

  /** The file of the library `effect` that reads the host's clock or randomness while `read` runs. */
  const readerOf = (read: () => unknown): string | undefined => {
    const stacks: Array<string> = []
    const note = () => void stacks.push(new Error("who asks").stack ?? "")
    class Noted extends Date {
      constructor(...given: ReadonlyArray<number>) {
        super(...(given as [number]))
        if (given.length === 0) note()
      }
      static override now(): number {
        note()
        return 0
      }
    }
    vi.stubGlobal("Date", Noted)
    vi.spyOn(Math, "random").mockImplementation(() => {
      note()
      return 0
    })
    read()
    vi.unstubAllGlobals()
    const frame = stacks[0]?.split("\n").find((line) => line.includes("/node_modules/effect/"))
    return /effect\/(?:dist\/[a-z]+|src)\/(?:internal\/)?(\w+)\.[jt]s/.exec(frame ?? "")?.[1]
  }

  it.each([
    ["DateTime.unsafeNow", () => DateTime.unsafeNow(), "dateTime"],
    ["Clock", () => Clock.make().unsafeCurrentTimeMillis(), "clock"],
    ["Cron.next", () => Cron.next(Cron.unsafeParse("0 4 * * *")), "Cron"],
    ["Utils.PCGRandom", () => new Utils.PCGRandom(), "Utils"]
  ])("%s reads the host in the file that the guard knows", (_, read, file) => {
    expect(readerOf(read), `effect reads the host in another file: ${SEE}`).toBe(file)
  })

  it("Random reads no randomness of the host when a program asks for a number", () => {
    const host = vi.spyOn(Math, "random")
    Effect.runSync(Effect.zip(Random.next, Effect.withRandom(Random.next, Random.make("seed"))))
    expect(host, `Random reads the host in a file that the guard does not know: ${SEE}`).not.toHaveBeenCalled()
  })
})
