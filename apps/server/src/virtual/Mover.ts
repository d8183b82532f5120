import { Timestamp } from "@place-access/domain/shared"
import { Data, Effect } from "effect"
import type { Happening } from "./Happening.js"
import type { NeverAtRest, World } from "./World.js"

export interface ClockState {
  readonly now: string
  /** How many seconds pass on the world's clock in a real second; 0: the clock stands still. */
  readonly rate: number
}

/** An order to the clock of a test world. */
export type Order =
  | { readonly _tag: "Advance"; readonly millis: number }
  | { readonly _tag: "To"; readonly moment: number }
  | { readonly _tag: "Rate"; readonly rate: number }

/** The order names a time that the clock has passed already. */
export class InThePast extends Data.TaggedError("InThePast") {}

/** The real time, in milliseconds, between two steps of a running clock. */
const TICK_MILLIS = 50

/** The fastest rate: an hour in a second. */
export const FASTEST = 3_600

/**
 * The real time in milliseconds after which a moving clock stores its time once more. When the server dies, the clock
 * restarts at the stored time. The clock then loses about an hour at the fastest rate, or days during a long move. Rows
 * that were written after the stored time stay, with times in the clock's future.
 */
const STORE_MILLIS = 1_000

/** Carries out the orders to a world's clock, one after the other. */
export class Mover {
  readonly world: World
  /**
   * Called when a running clock has stopped, with the reason: the world did not come to rest, or the time could not be
   * stored.
   */
  onFailure: (error: unknown) => void = () => undefined
  private readonly write: () => Promise<void>
  private readonly storeMillis: number
  private storedAt = performance.now()
  private storing: Promise<void> = Promise.resolve()
  private isClosed = false
  private rate = 0
  private ticker: NodeJS.Timeout | undefined
  private queue: Promise<unknown> = Promise.resolve()
  private waiting = 0

  /** `write` stores the clock's time in the mark of the test world (`Mark`), a file in the world's data folder. */
  constructor(world: World, write: () => Promise<void>, storeMillis: number = STORE_MILLIS) {
    this.world = world
    this.write = write
    this.storeMillis = storeMillis
    world.atInstant = () => this.storeNowAndThen()
  }

  /** Stores the clock's time. Waits for writes that began earlier, because all of them write the same file. */
  store(): Promise<void> {
    this.storedAt = performance.now()
    const stored = this.storing.then(() => this.write())
    this.storing = stored.catch(() => undefined)
    return stored
  }

  private async storeNowAndThen(): Promise<void> {
    if (!this.isClosed && performance.now() - this.storedAt >= this.storeMillis) await this.store()
  }

  get state(): ClockState {
    return { now: Timestamp.toIso(Timestamp.make(this.world.now)), rate: this.rate }
  }

  /**
   * Carries out one order, after all earlier orders. After a move of the clock it waits until the world is at rest (see
   * `World`), and returns what happened. A change of the rate does not wait for the world, and returns an empty list.
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
      await this.world.restStored()
      await this.store()
      return happened
    })
  }

  /** Runs `act` after all earlier calls of this function have ended. Meanwhile nothing but `act` moves the clock. */
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

  /** Stops a running clock. */
  stop(): void {
    this.setRate(0)
  }

  /** Stops a running clock. Afterwards the clock's time is stored only by calls of `store`. */
  close(): void {
    this.stop()
    this.isClosed = true
  }

  private setRate(rate: number): void {
    clearInterval(this.ticker)
    this.ticker = undefined
    this.rate = rate
    if (rate === 0) return
    let last = performance.now()
    /**
     * The fraction of a millisecond that the previous tick left over. At slow rates, the clock moves by less than a
     * millisecond in a tick.
     */
    let left = 0
    const tick = () => {
      const passed = performance.now() - last
      // While the mover carries out an order to the clock, or an order waits, real time does not move the clock.
      last += passed
      if (this.waiting > 0) return
      const due = left + passed * rate
      left = due % 1
      Effect.runFork(
        Effect.catchAll(
          this.alone(async () => {
            await this.world.moveTo(this.world.now + Math.floor(due))
            await this.storeNowAndThen()
            last = performance.now()
          }),
          (error) =>
            Effect.sync(() => {
              this.setRate(0)
              this.onFailure(error)
            })
        )
      )
    }
    // @effect-diagnostics-next-line globalTimers:off -- the rate of the clock is relative to real time
    this.ticker = setInterval(tick, TICK_MILLIS)
  }
}
