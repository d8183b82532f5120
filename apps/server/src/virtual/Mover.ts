import { Timestamp } from "@place-access/domain/shared"
import { Data, Effect } from "effect"
import type { Happening } from "./Happening.js"
import type { NeverAtRest, World } from "./World.js"

export interface ClockState {
  readonly now: string
  /** How many seconds of the world pass in a real second; 0: the clock stands still. */
  readonly rate: number
}

/** An order to the clock. */
export type Order =
  | { readonly _tag: "Advance"; readonly millis: number }
  | { readonly _tag: "To"; readonly moment: number }
  | { readonly _tag: "Rate"; readonly rate: number }

/** The order asks for a time that the clock has passed already. */
export class InThePast extends Data.TaggedError("InThePast") {}

/** How often a running clock is moved on, in real milliseconds. */
const TICK_MILLIS = 50

/** The fastest rate: an hour in a second. */
export const FASTEST = 3_600

/** Carries out the orders to a world's clock, one after the other. */
export class Mover {
  readonly world: World
  /** Stores what the clock shows. */
  readonly store: () => Promise<void>
  private rate = 0
  private ticker: NodeJS.Timeout | undefined
  private queue: Promise<unknown> = Promise.resolve()
  private waiting = 0

  constructor(world: World, store: () => Promise<void>) {
    this.world = world
    this.store = store
  }

  get state(): ClockState {
    return { now: Timestamp.toIso(Timestamp.make(this.world.now)), rate: this.rate }
  }

  /**
   * Carries out one order. After a move of the clock it waits until the world is at rest, and returns what happened;
   * after a change of the rate it returns at once.
   */
  carryOut(order: Order): Effect.Effect<ReadonlyArray<Happening>, InThePast | NeverAtRest> {
    return this.alone(async () => {
      if (order._tag === "Rate") {
        this.setRate(order.rate)
        return []
      }
      const moment = order._tag === "Advance" ? this.world.now + order.millis : order.moment
      if (moment < this.world.now) throw new InThePast()
      this.world.stir()
      const happened = await this.world.moveTo(moment)
      await this.store()
      return happened
    })
  }

  /** Runs `act` while the clock does not move. */
  alone<A>(act: () => Promise<A>): Effect.Effect<A, InThePast | NeverAtRest> {
    return Effect.tryPromise({
      try: () => {
        this.waiting += 1
        const done = this.queue.then(act).finally(() => {
          this.waiting -= 1
        })
        this.queue = done.catch(() => undefined)
        return done
      },
      catch: (error) => error as InThePast | NeverAtRest
    })
  }

  /** Stops a running clock for good. */
  close(): void {
    this.setRate(0)
  }

  private setRate(rate: number): void {
    clearInterval(this.ticker)
    this.ticker = undefined
    this.rate = rate
    if (rate === 0) return
    let last = performance.now()
    const tick = () => {
      const passed = performance.now() - last
      // While an order is under way, real time does not move the clock.
      last += passed
      if (this.waiting > 0) return
      Effect.runFork(
        this.alone(async () => {
          await this.world.moveTo(this.world.now + Math.round(passed * rate))
          last = performance.now()
        })
      )
    }
    // @effect-diagnostics-next-line globalTimers:off -- the rate is that of the real time
    this.ticker = setInterval(tick, TICK_MILLIS)
  }
}
