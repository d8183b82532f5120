import { Effect } from "effect"
import type { RequestTimers } from "./Timers.js"

/** A timer that is this late shows that the process did not run, or that one task held the event loop. */
const STOPPED_MILLIS = 100

export interface TurnLimits {
  /** How many callers may work at once. */
  readonly atOnce: number
  /** How many callers may wait. The next caller is refused at once. */
  readonly waitingMax: number
  /** How long each caller may wait before it is refused. */
  readonly waitMillis: number
}

/**
 * Turns of this process: at most `atOnce` callers work, the others wait in the order in which they came, each for a
 * bounded time. Turns are kept in memory. So a process that ends takes its turns along, and nobody waits for a process
 * that crashed.
 */
export class Turns {
  private working = 0
  private readonly waiting = new Set<(hasTurn: boolean) => void>()
  private readonly limits: TurnLimits
  private readonly timers: RequestTimers

  constructor(limits: TurnLimits, timers: RequestTimers) {
    this.limits = limits
    this.timers = timers
  }

  get isUsed(): boolean {
    return this.working > 0
  }

  /** Whether a caller would have to wait. */
  get isFull(): boolean {
    return this.working >= this.limits.atOnce
  }

  /**
   * True: the caller has a turn and must `release` it. False: no turn was free in time. A caller that is interrupted
   * while it waits leaves the line. Call it where interruption is switched off: between a turn and its release nothing
   * may interrupt.
   */
  readonly take: Effect.Effect<boolean> = Effect.suspend(() => {
    if (!this.isFull) {
      this.working++
      return Effect.succeed(true)
    }
    return this.waiting.size < this.limits.waitingMax ? this.wait : Effect.succeed(false)
  })

  /** Takes a turn although all are taken: for a caller that gave its turn back for a while. */
  takeAnyway(): void {
    this.working++
  }

  release(): void {
    const [next] = this.waiting
    // After `takeAnyway` more than `atOnce` callers may work: the next in line waits until the surplus has ended.
    if (next === undefined || this.working > this.limits.atOnce) this.working--
    else next(true)
  }

  private readonly wait = Effect.interruptible(
    Effect.async<boolean>((resume) => {
      let hasTurn = false
      const answer = (given: boolean) => {
        hasTurn = given
        leave()
        resume(Effect.succeed(given))
      }
      const [{ waitMillis }, timers] = [this.limits, this.timers]
      // After a stop of the whole process every caller has waited too long, though turns are free in a moment. Nobody
      // is refused for that: the wait begins again.
      const expire = (dueAt: number) => {
        if (timers.now() - dueAt <= STOPPED_MILLIS) answer(false)
        else stopTimer = startTimer()
      }
      const startTimer = () => {
        const dueAt = timers.now() + waitMillis
        return timers.after(waitMillis, () => expire(dueAt))
      }
      let stopTimer = startTimer()
      const leave = () => {
        stopTimer()
        this.waiting.delete(answer)
      }
      this.waiting.add(answer)
      return Effect.sync(() => {
        leave()
        // The interruption came after the turn was given, and before the caller knew.
        if (hasTurn) this.release()
      })
    })
  )
}
