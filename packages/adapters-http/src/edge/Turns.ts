import { Effect } from "effect"
import type { RequestTimers } from "./Timers.js"

/**
 * When a timer fires more than this many milliseconds late, the whole process was stopped, or one task blocked the
 * event loop.
 */
const STOPPED_MILLIS = 100

export interface TurnLimits {
  /** How many callers may work at the same time. */
  readonly atOnce: number
  /** How many callers may wait. When this many callers wait, a further caller is refused immediately. */
  readonly waitingMax: number
  /** How long each caller may wait before it is refused. */
  readonly waitMillis: number
}

/**
 * Limits how many callers work at the same time in this process: at most `atOnce` callers have a turn, or more after
 * `takeAnyway`. At most `waitingMax` further callers wait in the order in which they came, each for a bounded time.
 * Turns are kept in memory, so nobody waits for a process that crashed.
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
   * Yields true when the caller has a turn, which it must `release`. Yields false when too many callers wait, or when
   * no turn became free in time. A caller that is interrupted while it waits leaves the queue. Run this effect in an
   * uninterruptible region: an interruption between a turn and its release would lose the turn.
   */
  readonly take: Effect.Effect<boolean> = Effect.suspend(() => {
    if (!this.isFull) {
      this.working++
      return Effect.succeed(true)
    }
    return this.waiting.size < this.limits.waitingMax ? this.wait : Effect.succeed(false)
  })

  /** Takes a turn even when no turn is free. Only a caller that released its turn for a while may call this method. */
  takeAnyway(): void {
    this.working++
  }

  release(): void {
    const [next] = this.waiting
    // After `takeAnyway`, more than `atOnce` callers may work. The first waiting caller gets a turn only when at most
    // `atOnce` callers work.
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
      // When the whole process was stopped for a while, the timers of all waiting callers fire together, before the
      // working callers can release their turns. A timer that fires much too late therefore starts the wait again
      // instead of refusing the caller.
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
        // The caller got the turn, but was interrupted before it could continue. So it cannot release the turn itself.
        if (hasTurn) this.release()
      })
    })
  )
}
