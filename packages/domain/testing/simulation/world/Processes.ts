import { Effect } from "effect"
import { runWorker, type WorkerOptions } from "../../../src/dispatch/runWorker.js"
import { runImports } from "../../../src/imports/runImports.js"
import { runSettling } from "../../../src/fixes/settleDue.js"
import { runHousekeeping } from "../../../src/sweeps/runHousekeeping.js"
import { holdLeases } from "../../../src/leases/holdLeases.js"
import { runMail } from "../../../src/mail/sendMail.js"
import * as MemoryImportReader from "../../memory/fixes/MemoryImportReader.js"
import type { Engine } from "../engine/Engine.js"
import { demandWhole } from "../engine/demand.js"
import * as Process from "../engine/Process.js"
import type { Ports } from "../ports/Ports.js"
import type { Recorder } from "../trace/Recorder.js"
import { ISSUER } from "./operations/Handlers.js"

/** The settings of the simulated workers. */
export interface WorkerConfig {
  /** The number of workers. Default: 1. */
  readonly workers?: number | undefined
  readonly worker?: Partial<WorkerOptions> | undefined
}

/** The name of a program of the service, such as `worker2`. */
export type Program = "server" | "worker" | `worker${number}`

const ADDRESSES = { service: ISSUER, portal: `${ISSUER}/portal` }

/**
 * The pace of imports. A step reads and stores only four lines, so that a worker can die in the middle of a short file.
 */
const PACE = { atOnce: 2, stepEntries: 4, sliceBytes: 64, share: 1 }

type WorkerLeases = Effect.Effect.Success<ReturnType<typeof holdLeases>>

const importing = (leases: WorkerLeases) =>
  Process.periodic(Effect.provide(runImports(leases, PACE), MemoryImportReader.layer))

/**
 * The polling loops that a real worker runs, as far as they are programs of the domain, but without the loops of
 * exports and imports. `beginImports` starts the loop of imports when a run has its first import.
 */
const work = ({ worker }: WorkerConfig, onLeases: (leases: WorkerLeases) => Effect.Effect<void, never, Ports>) =>
  Effect.flatMap(Effect.tap(holdLeases(), onLeases), (leases) =>
    Effect.all(
      [
        runWorker(worker, leases),
        Process.periodic(runHousekeeping(leases)),
        Process.periodic(runSettling(leases)),
        Process.periodic(runMail(ADDRESSES, leases.people))
      ],
      { concurrency: "unbounded", discard: true }
    )
  )

/** The programs of the service. A fault or a scenario can kill a program and start the program again. */
export class Processes {
  private readonly running = new Map<string, Process.Process>()
  private readonly epochs = new Map<string, number>()
  /**
   * How far the clock of each program's machine is ahead, in milliseconds. A restart of the program does not correct
   * the clock.
   */
  private readonly skews = new Map<string, number>()
  /**
   * The leases of each running worker, for the loop of imports. This loop starts only with the first import of the run,
   * long after its worker, and must then use the leases that the worker already has.
   */
  private readonly held = new Map<Process.Process, WorkerLeases>()
  private isImporting = false
  /**
   * The time at which each paused process wakes, on the clock `VirtualClock.monotonic`. With several pauses, the latest
   * end counts.
   */
  private readonly wakesAt = new WeakMap<Process.Process, number>()
  private readonly onDeath: Array<(process: Process.Process) => void> = []
  readonly names: ReadonlyArray<Program>
  private readonly engine: Engine
  private readonly recorder: Recorder
  private readonly config: WorkerConfig

  constructor(engine: Engine, recorder: Recorder, config: WorkerConfig) {
    this.engine = engine
    this.recorder = recorder
    this.config = config
    const { workers: number = 1 } = config
    demandWhole("workers", number, 1)
    const workers = Array.from({ length: number }, (_, n): Program => (n === 0 ? "worker" : `worker${n + 1}`))
    this.names = ["server", ...workers]
  }

  /** The running process of the program; undefined while the program is down. */
  find(name: string): Process.Process | undefined {
    return this.running.get(name)
  }

  whenOneDies(tell: (process: Process.Process) => void): void {
    this.onDeath.push(tell)
  }

  start(name: string): Effect.Effect<void, never, Ports> {
    return Effect.suspend(() => {
      if (this.running.has(name)) return Effect.void
      const epoch = (this.epochs.get(name) ?? 0) + 1
      this.epochs.set(name, epoch)
      const process: Process.Process = { name, epoch, isAlive: true, skewMillis: this.skews.get(name) }
      this.running.set(name, process)
      if (epoch > 1) this.recorder.add(process, { kind: "fault", fault: "restart", detail: name })
      return name === "server"
        ? Effect.void
        : Effect.asVoid(
            this.engine.spawn(
              process,
              work(this.config, (leases) => this.hold(process, leases))
            )
          )
    })
  }

  private hold(process: Process.Process, leases: WorkerLeases): Effect.Effect<void, never, Ports> {
    return Effect.suspend(() => {
      this.held.set(process, leases)
      return this.isImporting ? Effect.asVoid(this.engine.spawn(process, importing(leases))) : Effect.void
    })
  }

  /**
   * Starts the loop of imports in every worker. `Stage` calls this at the first import, because the loop would add
   * steps to every run without imports.
   */
  readonly beginImports: Effect.Effect<void, never, Ports> = Effect.suspend(() => {
    if (this.isImporting) return Effect.void
    this.isImporting = true
    return Effect.forEach([...this.held], ([process, leases]) => this.engine.spawn(process, importing(leases)), {
      discard: true
    })
  })

  /**
   * Pauses the process for `millis` milliseconds, as when its machine is suspended. Afterwards the process continues
   * where it stopped, and notices nothing. A process that is already paused wakes when the later of the two pauses
   * ends.
   */
  pause(process: Process.Process, millis: number): Effect.Effect<void> {
    const { clock } = this.engine
    this.engine.pause(process)
    this.wakesAt.set(process, Math.max(this.wakesAt.get(process) ?? 0, clock.monotonic + millis))
    const later = Effect.zipRight(
      Effect.sleep(millis),
      Effect.sync(() => {
        if (clock.monotonic >= (this.wakesAt.get(process) ?? Infinity)) this.wake(process)
      })
    )
    return Effect.asVoid(this.engine.spawn(Process.WORLD, later))
  }

  /** Sets the clock of the machine on which the program runs. 0 means that the clock is right. */
  skew(process: Process.Process, millis: number): void {
    this.skews.set(process.name, millis)
    process.skewMillis = millis
  }

  /** Wakes every paused program, and corrects the clocks of all machines. */
  mend(): void {
    this.skews.clear()
    for (const process of this.running.values()) {
      process.skewMillis = undefined
      this.wake(process)
    }
  }

  private wake(process: Process.Process): void {
    this.wakesAt.delete(process)
    if (!process.isAlive || process.asleep === undefined) return
    this.recorder.add(process, { kind: "fault", fault: "wake", detail: process.name })
    this.engine.wake(process)
  }

  /** Kills the program between two of its steps. None of its finalizers runs. */
  kill(name: string): void {
    const process = this.running.get(name)
    if (process === undefined) return
    this.running.delete(name)
    this.held.delete(process)
    this.engine.kill(process)
    for (const tell of this.onDeath) tell(process)
  }
}
