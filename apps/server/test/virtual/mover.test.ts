import { Duration, Effect } from "effect"
import { describe, expect, it, vi } from "vitest"
import { Mover } from "../../src/virtual/Mover.js"
import { World } from "../../src/virtual/World.js"

const START = Date.UTC(2026, 0, 5, 9)

/**
 * A mover moves the clock of a test world, and stores the clock's time on the way. The mover of these tests adds each
 * stored time to `stored`. At least `storeMillis` milliseconds pass between two stored times.
 */
const moverWith = (storeMillis?: number) => {
  const stored: Array<number> = []
  const world = new World(START)
  const write = () => Promise.resolve(void stored.push(world.now - START))
  return { mover: new Mover(world, write, storeMillis), stored, world }
}

/** Starts a fiber that sleeps for ten minutes of the world's time, again and again, like a loop of a worker. */
const startLoop = (world: World) =>
  Effect.runFork(Effect.forever(world.clock.sleep(Duration.minutes(10))).pipe(Effect.withClock(world.clock)))

describe("a world whose server dies wakes up at about the time at which it died [virtual-time-1]", () => {
  it("the time is stored on the way of a long move", async () => {
    const { mover, stored, world } = moverWith(0)
    startLoop(world)
    await Effect.runPromise(mover.carryOut({ _tag: "Advance", millis: 60 * 60_000 }))
    expect(stored.slice(1, -1)).toEqual([10, 20, 30, 40, 50, 60].map((minutes) => minutes * 60_000).slice(0, -1))
    expect(stored.at(-1)).toBe(60 * 60_000)
  })

  it("but not at every step: once in a while is enough", async () => {
    const { mover, stored, world } = moverWith()
    startLoop(world)
    await Effect.runPromise(mover.carryOut({ _tag: "Advance", millis: 60 * 60_000 }))
    expect(stored).toEqual([60 * 60_000])
  })

  it("the time is stored while the clock runs, and no more once the mover is closed", async () => {
    const { mover, stored, world } = moverWith(100)
    await Effect.runPromise(mover.carryOut({ _tag: "Rate", rate: 60 }))
    await vi.waitFor(() => expect(stored.length).toBeGreaterThan(2), 10_000)
    expect(stored.every((at, index) => at >= (stored[index - 1] ?? 0))).toBe(true)
    mover.close()
    await Effect.runPromise(mover.alone(() => Promise.resolve()))
    const [count, now] = [stored.length, world.now]
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect([stored.length, world.now]).toEqual([count, now])
  })
})

it("a running clock that cannot be moved on stops with one warning", async () => {
  const world = new World(START)
  const mover = new Mover(world, () => Promise.reject(new Error("the disk is full")), 0)
  const warnings: Array<unknown> = []
  mover.onFailure = (error) => void warnings.push(error)
  await Effect.runPromise(mover.carryOut({ _tag: "Rate", rate: 60 }))
  await vi.waitFor(() => expect(mover.state.rate).toBe(0), 10_000)
  await Effect.runPromise(mover.alone(() => Promise.resolve()))
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(warnings).toEqual([new Error("the disk is full")])
})

it("a rate whose ticks are shorter than a millisecond moves the clock all the same", async () => {
  const { mover, world } = moverWith()
  await Effect.runPromise(mover.carryOut({ _tag: "Rate", rate: 0.005 }))
  await vi.waitFor(() => expect(world.now).toBeGreaterThanOrEqual(START + 2), 10_000)
  mover.close()
})
