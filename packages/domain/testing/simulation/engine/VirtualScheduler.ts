import type { Scheduler } from "effect"
import * as Process from "./Process.js"
import type { Stream } from "./Streams.js"

type Fiber = Parameters<Scheduler.Scheduler["shouldYield"]>[0]

interface Task {
  readonly run: () => void
  readonly fiber: Fiber | undefined
}

/** A fibre yields after this number of operations. No fibre of the service does this many between two port calls. */
const ENDLESS = 1_000_000

/** The scheduler frees the memory of finished tasks when the queue holds this number of them. */
const ROOM = 4_096

/**
 * When a run takes this number of steps without time passing, the scheduler treats it as an endless loop and fails it.
 */
const LIVELOCK = 20_000_000

/**
 * Replaces the scheduler of Effect. It runs fibres one at a time, so that a run has one order of steps. Without a
 * stream the fibre that became ready first runs first. With a stream the stream picks among the ready fibres, which
 * makes the order random and still repeatable from the seed.
 */
export class VirtualScheduler implements Scheduler.Scheduler {
  private tasks: Array<Task> = []
  /** The number of finished tasks at the front of `tasks`. */
  private done = 0
  /** Tasks that the answer of the host made ready. They run before all others. */
  private urgent: Array<Task> | undefined
  /** True while the run awaits an answer of the host. No fibre runs meanwhile: a call is one step, as in memory. */
  isHalted = false
  steps = 0

  private readonly random: Stream | undefined
  /** Called before each step with the process that takes it. */
  onStep: (process: Process.Process) => void = () => undefined

  constructor(random?: Stream) {
    this.random = random
  }

  scheduleTask(run: () => void, _priority: number, fiber?: Fiber): void {
    const tasks = this.urgent ?? this.tasks
    tasks.push({ run, fiber })
  }

  /**
   * Fibres yield at every port call (`giveWay`). Yielding here matters only for a fibre that never ends: it must not
   * starve the others.
   */
  shouldYield(fiber: Fiber): number | false {
    return fiber.currentOpCount > ENDLESS ? 0 : false
  }

  get isIdle(): boolean {
    return this.done >= this.tasks.length
  }

  /** Runs fibres until none can go on without time passing, or until a fibre calls the host. */
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

  /** Resumes the fibre that called the host, before any other fibre takes a step. */
  answer(resume: () => void): void {
    this.isHalted = false
    const urgent: Array<Task> = []
    this.urgent = urgent
    resume()
    this.urgent = undefined
    for (const task of urgent) this.take(task)
  }

  private take({ fiber, run }: Task): void {
    // A killed process takes no further step, not even a finalizer: a real crash does not tidy up either.
    const process = fiber?.getFiberRef(Process.current) ?? Process.WORLD
    if (!process.isAlive) return
    // A paused process takes its steps when it wakes, in the order in which they became ready.
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
