import type { Scheduler } from "effect"
import * as Process from "./Process.js"
import type { Stream } from "./Streams.js"

type Fiber = Parameters<Scheduler.Scheduler["shouldYield"]>[0]

interface Task {
  readonly run: () => void
  readonly fiber: Fiber | undefined
}

/**
 * A fiber yields after this number of operations. Between two port calls, no fiber of the service needs as many
 * operations.
 */
const ENDLESS = 1_000_000

/** When the queue has this many finished tasks, the scheduler frees their memory. */
const ROOM = 4_096

/**
 * When fibers take this many steps while no virtual time passes, the scheduler fails the run, because a fiber is in an
 * endless loop.
 */
const LIVELOCK = 20_000_000

/**
 * Replaces the scheduler of Effect. The scheduler runs one fiber at a time, so that a run has one order of steps.
 * Without a stream of random numbers, the fiber that became ready first runs first. With a stream, the next number
 * picks one of the ready fibers, so the order is random, and the same for the same seed.
 */
export class VirtualScheduler implements Scheduler.Scheduler {
  private tasks: Array<Task> = []
  /** The number of finished tasks at the front of `tasks`. */
  private done = 0
  /** Tasks that became ready through an answer of the host. These tasks run before all other tasks. */
  private urgent: Array<Task> | undefined
  /**
   * True while the run awaits an answer of the host. No fiber runs during this time, so a call of a real database is
   * one step, like a call of the in-memory stores.
   */
  isHalted = false
  steps = 0

  private readonly random: Stream | undefined
  /** Called before each step with the process that takes the step. */
  onStep: (process: Process.Process) => void = () => undefined

  constructor(random?: Stream) {
    this.random = random
  }

  scheduleTask(run: () => void, _priority: number, fiber?: Fiber): void {
    const tasks = this.urgent ?? this.tasks
    tasks.push({ run, fiber })
  }

  /**
   * A fiber lets other fibers run at every port call (`giveWay`). Only a fiber that runs very long without a port call
   * yields here, because such a fiber may never end.
   */
  shouldYield(fiber: Fiber): number | false {
    return fiber.currentOpCount > ENDLESS ? 0 : false
  }

  get isIdle(): boolean {
    return this.done >= this.tasks.length
  }

  /** Runs fibers until no fiber can take a step without virtual time passing, or until a fiber calls the host. */
  drain(): void {
    for (const begun = this.steps; !this.isIdle && !this.isHalted;) {
      const task = this.next()
      if (task !== undefined) this.take(task)
      if (this.steps - begun > LIVELOCK) throw new Error("Stuck: fibers run for ever without time passing")
    }
    if (!this.isIdle) return
    this.tasks = []
    this.done = 0
  }

  /** Resumes the fiber that called the host. No other fiber takes a step before this fiber. */
  answer(resume: () => void): void {
    this.isHalted = false
    const urgent: Array<Task> = []
    this.urgent = urgent
    resume()
    this.urgent = undefined
    for (const task of urgent) this.take(task)
  }

  private take({ fiber, run }: Task): void {
    // A killed process takes no further step and runs no finalizer, because a real process that crashes does not tidy
    // up either.
    const process = fiber?.getFiberRef(Process.current) ?? Process.WORLD
    if (!process.isAlive) return
    // The steps of a paused process are stored, and run when the process wakes, in the order in which they became
    // ready.
    if (process.asleep !== undefined) {
      process.asleep.push(() => this.scheduleTask(run, 0, fiber))
      return
    }
    this.steps++
    this.onStep(process)
    run()
  }

  private next(): Task | undefined {
    const ready = this.tasks.length - this.done
    if (this.random !== undefined && ready > 1) {
      const chosen = this.done + this.random.int(0, ready - 1)
      const [first, other] = [this.tasks[this.done], this.tasks[chosen]]
      if (first !== undefined && other !== undefined) {
        this.tasks[this.done] = other
        this.tasks[chosen] = first
      }
    }
    if (this.done >= ROOM) {
      this.tasks = this.tasks.slice(this.done)
      this.done = 0
    }
    return this.tasks[this.done++]
  }
}
