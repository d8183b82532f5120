import type { Scheduler } from "effect"
import * as Process from "./Process.js"
import type { Stream } from "./Streams.js"

type Fiber = Parameters<Scheduler.Scheduler["shouldYield"]>[0]

interface Task {
  readonly run: () => void
  readonly fiber: Fiber | undefined
}

/** More operations than any fibre does without asking anybody. */
const ENDLESS = 1_000_000

/** So many tasks that have run are kept before their room is given back. */
const ROOM = 4_096

/** More steps than any run takes without time passing. */
const LIVELOCK = 20_000_000

/** Runs fibres one at a time: whoever was ready first, or, given a stream, whoever it picks of those that are ready. */
export class VirtualScheduler implements Scheduler.Scheduler {
  private tasks: Array<Task> = []
  /** Of `tasks`, how many have run. */
  private done = 0
  /** Goes on before anybody else: the host has answered it. */
  private urgent: Array<Task> | undefined
  /** The world stands still until the host has answered, as it does while memory is read. */
  isHalted = false
  steps = 0

  private readonly random: Stream | undefined

  constructor(random?: Stream) {
    this.random = random
  }

  scheduleTask(run: () => void, _priority: number, fiber?: Fiber): void {
    const tasks = this.urgent ?? this.tasks
    tasks.push({ run, fiber })
  }

  /** Whoever asks a port makes room for the others there; who never ends must not hold them up all the same. */
  shouldYield(fiber: Fiber): number | false {
    return fiber.currentOpCount > ENDLESS ? 0 : false
  }

  get isIdle(): boolean {
    return this.done >= this.tasks.length
  }

  /** Until nobody can go on without time passing, or the host is asked for something. */
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

  /** The host has answered: whoever asked goes on as if nothing had been. */
  answer(resume: () => void): void {
    this.isHalted = false
    const urgent: Array<Task> = []
    this.urgent = urgent
    resume()
    this.urgent = undefined
    for (const task of urgent) this.take(task)
  }

  private take({ fiber, run }: Task): void {
    // The steps of a killed process are never taken: nothing of it runs, not even what would tidy up.
    if (fiber?.getFiberRef(Process.current).isAlive === false) return
    this.steps++
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
