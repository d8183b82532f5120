import { Activity } from "@place-access/adapters-pg"
import { WorkSignal } from "@place-access/domain/events"
import { VirtualTime } from "@place-access/domain/testing"
import { Clock, Data, Effect, Layer } from "effect"
import { type Happening, key } from "./Happening.js"
import * as Sending from "./Sending.js"

/** The world did not come to rest: a statement or a webhook did not end within `PATIENCE_MILLIS` of real time. */
export class NeverAtRest extends Data.TaggedError("NeverAtRest")<{ readonly message: string }> {}

/** The longest real time that one step may take. A webhook takes at most five seconds. */
const PATIENCE_MILLIS = 120_000

/** How many turns of the event loop must pass with nothing under way before the world is at rest. */
const CALM_TURNS = 8

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** A turn that waits for the host's timers: `effect` continues a fiber that has run for long by a timer of 0 ms. */
const timerTurn = (): Promise<void> =>
  // @effect-diagnostics-next-line globalTimers:off -- waits for real timers of the event loop
  new Promise((resolve) => void setTimeout(resolve, 0))

/**
 * A test world, whose clock moves only by orders. The world is at rest when no statement and no webhook is under way
 * and every loop of the worker sleeps. The clock waits for rest between two timers, so everything that happens has
 * exactly the time of its timer (decision virtual-time-2).
 */
export class World {
  /** The clock of the worker's loops: their sleeps end when the clock is moved. */
  readonly clock: VirtualTime.VirtualClock
  /** The clock of requests: it shows the same time, but sleeps end in real time. */
  readonly shown: Clock.Clock
  readonly sending = Sending.make(
    () => this.now,
    () => this.stir()
  )
  readonly signal: Layer.Layer<WorkSignal>
  /** Reads the events and the mails of the instant `at`. Webhooks are not included, because `sending` records them. */
  readNews: (at: number) => Promise<ReadonlyArray<Happening>> = () => Promise.resolve([])
  /**
   * Runs during a move of the clock, each time before the clock leaves an instant. What happens while it runs still
   * counts as happening at this instant.
   */
  atInstant: () => Promise<void> = () => Promise.resolve()
  /** Stores the figures and the lines of request logs that the programs of the world have counted so far. */
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

  /** What the clock shows, in milliseconds. */
  get now(): number {
    return this.clock.unsafeCurrentTimeMillis()
  }

  /**
   * The caller calls this when something happened. Loops that slowed down in a quiet time then look for work at their
   * normal pace again.
   */
  stir(): void {
    this.clock.stir()
  }

  /** Waits until nothing is under way. */
  async rest(): Promise<void> {
    await this.calm()
    await timerTurn()
    await this.calm()
  }

  /** Waits until nothing is under way, and everything that happened is in the database, figures included. */
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
      // A statement ends within a few turns. A receiver's answer may take seconds, so the loop waits for it with
      // timers.
      await (this.sending.inFlight() > 0 ? timerTurn() : turn())
      if (isBusy && performance.now() - begun > PATIENCE_MILLIS) {
        throw new NeverAtRest({ message: "Something under way did not end, so the clock stands where it is" })
      }
    }
  }

  /**
   * Moves the clock to a moment, from timer to timer, and waits for rest after each. Returns what happened on the way,
   * in order, the moment included. A moment in the past changes nothing.
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
      // Before the clock leaves an instant, the world is at rest, and what happened at the instant is collected.
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

  /** Sets the clock to the moment of a snapshot, also into the past. No timer fires. */
  set(moment: number): void {
    this.clock.jump(moment - this.now)
  }
}
