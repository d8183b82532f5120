import type { Scheduler } from "effect"
import * as Process from "./Process.js"
import type { Stream } from "./Streams.js"

type Fiber = Parameters<Scheduler.Scheduler["shouldYield"]>[0]

interface Task {
  readonly run: () => void
  readonly fiber: Fiber | undefined
}

/** So many tasks that have run are kept before their room is given back. */
const ROOM = 4_096

/** More steps than any run takes without time passing. */
const LIVELOCK = 20_000_000

/** Runs fibres one at a time: whoever was ready first, or, given a stream, whoever it picks of those that are ready. */
export class VirtualScheduler implements Scheduler.Scheduler {
  private tasks: Array<Task> = []
  /** Of `tasks`, how many have run. */
  private done = 0
  steps = 0
  /** Told when there is something to run again. */
  onTask: () => void = () => undefined

  private readonly random: Stream | undefined

  constructor(random?: Stream) {
    this.random = random
  }

  scheduleTask(run: () => void, _priority: number, fiber?: Fiber): void {
    this.tasks.push({ run, fiber })
    this.onTask()
  }

  /** Fibers that compute for long make room for the others, at the same point in every run. */
  shouldYield(fiber: Fiber): number | false {
    return fiber.currentOpCount > 2048 ? 0 : false
  }

  get isIdle(): boolean {
    return this.done >= this.tasks.length
  }

  /** Until nobody can go on without time passing. */
  drain(): void {
    for (const begun = this.steps; !this.isIdle;) {
      const task = this.next()
      // The steps of a killed process are never taken: nothing of it runs, not even what would tidy up.
      if (task === undefined || task.fiber?.getFiberRef(Process.current).isAlive === false) continue
      this.steps++
      if (this.steps - begun > LIVELOCK) throw new Error("Stuck: fibers run for ever without time passing")
      task.run()
    }
    this.tasks = []
    this.done = 0
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
