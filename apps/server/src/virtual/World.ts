import { Activity } from "@place-access/adapters-pg"
import { WorkSignal } from "@place-access/domain/events"
import { VirtualTime } from "@place-access/domain/testing"
import { Clock, Data, Effect, Layer } from "effect"
import { type Happening, key } from "./Happening.js"
import * as Sending from "./Sending.js"

/** The world did not come to rest: a statement or a webhook did not end within `PATIENCE_MILLIS` of real time. */
export class NeverAtRest extends Data.TaggedError("NeverAtRest")<{ readonly message: string }> {}

/**
 * The longest real time, in milliseconds, that the world may take to come to rest. A webhook in flight takes at most
 * five seconds.
 */
const PATIENCE_MILLIS = 120_000

/** How many turns of the event loop must pass without work in flight before the world is at rest. */
const CALM_TURNS = 8

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/**
 * Waits for one turn of the event loop that includes the timers of Node, because `effect` uses a timer of 0 ms to
 * continue a fiber that has run for long.
 */
const timerTurn = (): Promise<void> =>
  // @effect-diagnostics-next-line globalTimers:off -- waits for real timers of the event loop
  new Promise((resolve) => void setTimeout(resolve, 0))

/**
 * A test world, whose clock moves only by orders. The world is at rest when no statement and no webhook is in flight
 * and every loop of the worker sleeps. Between two timers the clock waits until the world is at rest. So everything
 * that happens has exactly the time of its timer (decision virtual-time-2).
 */
export class World {
  /** The clock of the worker's loops, whose sleeps end when the clock is moved. */
  readonly clock: VirtualTime.VirtualClock
  /** The clock of requests. It shows the same time as `clock`, but sleeps on it end in real time. */
  readonly shown: Clock.Clock
  readonly sending = Sending.make(
    () => this.now,
    () => this.stir()
  )
  readonly signal: Layer.Layer<WorkSignal>
  /**
   * Reads the events and the mails of the instant `at`. The result has no webhooks, because `sending` records webhooks.
   */
  readNews: (at: number) => Promise<ReadonlyArray<Happening>> = () => Promise.resolve([])
  /**
   * Runs during a move of the clock, each time before the clock goes from one instant to the instant of the next timer.
   * Everything that happens while the function runs counts for the instant that the clock leaves.
   */
  atInstant: () => Promise<void> = () => Promise.resolve()
  /** Stores the counts and the lines of request logs that the programs of the world keep in memory. */
  storeFigures: () => Promise<void> = () => Promise.resolve()
  private readonly host = Clock.make()

  constructor(startMillis: number) {
    this.clock = new VirtualTime.VirtualClock(startMillis)
    const { clock, host } = this
    this.shown = {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
      unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
      currentTimeMillis: clock.currentTimeMillis,
      currentTimeNanos: clock.currentTimeNanos,
      sleep: (duration) => host.sleep(duration)
    }
    const signal = VirtualTime.workSignal()
    this.signal = Layer.succeed(WorkSignal, {
      ...signal,
      raise: Effect.zipRight(
        Effect.sync(() => this.stir()),
        signal.raise
      )
    })
  }

  /** The time that the clock shows, in milliseconds since 1970. */
  get now(): number {
    return this.clock.unsafeCurrentTimeMillis()
  }

  /**
   * Call this when something may have made work for the worker's loops, such as a request. Loops that slowed down in a
   * quiet time then look for work at their normal pace.
   */
  stir(): void {
    this.clock.stir()
  }

  /** Waits until the world is at rest. */
  async rest(): Promise<void> {
    await this.calm()
    await timerTurn()
    await this.calm()
  }

  /**
   * Waits until the world is at rest, and everything that happened is in the database, with the counts of
   * `storeFigures`.
   */
  async restStored(): Promise<void> {
    await this.rest()
    await this.storeFigures()
    await this.rest()
  }

  private async calm(): Promise<void> {
    const begun = performance.now()
    for (let calm = 0; calm < CALM_TURNS;) {
      const isBusy = Activity.isBusy() || this.sending.inFlight() > 0
      calm = isBusy ? 0 : calm + 1
      // A statement ends within a few turns of the event loop. A receiver's answer may take seconds, so while a webhook
      // is in flight the loop waits with timers.
      await (this.sending.inFlight() > 0 ? timerTurn() : turn())
      if (isBusy && performance.now() - begun > PATIENCE_MILLIS) {
        throw new NeverAtRest({ message: "Something under way did not end, so the clock stands where it is" })
      }
    }
  }

  /**
   * Moves the clock to a moment, from timer to timer, and waits after each timer until the world is at rest. Returns
   * what happened up to the moment, inclusive, in order. A moment in the past changes nothing.
   */
  async moveTo(moment: number): Promise<ReadonlyArray<Happening>> {
    const { clock } = this
    const until = clock.monotonic + Math.max(0, moment - this.now)
    await this.rest()
    const before = new Set((await this.readNews(this.now)).map(key))
    this.sending.take()
    const happened: Array<Happening> = []
    const collect = async () => {
      const news = [...(await this.readNews(this.now)), ...this.sending.take()]
      for (const one of news) {
        if (one.what !== "webhook" && before.has(key(one))) continue
        if (one.what !== "webhook") before.add(key(one))
        happened.push(one)
      }
    }
    for (let next = clock.timers.first; next !== undefined && next.at <= until; next = clock.timers.first) {
      // Before the clock leaves an instant, the world must be at rest, and what happened at the instant is collected.
      if (next.at > clock.monotonic) {
        await this.atInstant()
        await this.rest()
        const earlier = clock.timers.first
        if (earlier !== undefined && earlier.at <= clock.monotonic) continue
        await collect()
      }
      clock.advance()
      await this.calm()
    }
    await this.rest()
    await collect()
    clock.moveTo(until)
    return happened
  }

  /** Sets the clock to the moment of a snapshot, which may be in the past. No timer fires. */
  set(moment: number): void {
    this.clock.jump(moment - this.now)
  }
}
