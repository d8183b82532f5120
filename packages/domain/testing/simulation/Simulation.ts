import { Cause, Context, type Duration, Effect, Exit, FiberRef, Layer, Logger, Option, Scope } from "effect"
import { PasswordHasher } from "../../src/accounts/PasswordHasher.js"
import { WebhookSender } from "../../src/endpoints/WebhookSender.js"
import { WorkSignal } from "../../src/events/WorkSignal.js"
import { FixStore } from "../../src/fixes/FixStore.js"
import { ImportStore } from "../../src/imports/ImportStore.js"
import { AuditLog } from "../../src/audit/AuditLog.js"
import { Mailer } from "../../src/mail/Mailer.js"
import { MailOutbox } from "../../src/mail/MailOutbox.js"
import type { MailOutcome } from "../../src/mail/MailSending.js"
import * as Bucket from "../../src/leases/Bucket.js"
import * as Lease from "../../src/leases/Lease.js"
import { LeaseStore } from "../../src/leases/LeaseStore.js"
import { Entropy } from "../../src/shared/Entropy.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import { Vault } from "../../src/shared/Vault.js"
import { TierStore } from "../../src/sweeps/TierStore.js"
import * as MemoryEntropy from "../memory/vault/MemoryEntropy.js"
import * as MemoryPasswordHasher from "../memory/accounts/MemoryPasswordHasher.js"
import { demandDuration } from "./engine/demand.js"
import { Engine, START } from "./engine/Engine.js"
import * as Guard from "./engine/Guard.js"
import * as Process from "./engine/Process.js"
import * as Streams from "./engine/Streams.js"
import type { Answered } from "./Operations.js"
import { judge, type Oracle, type Run, type Violation } from "./Oracle.js"
import { all as oracles } from "./oracles/index.js"
import { demandKind, Faults, type FaultSetting } from "./ports/Faults.js"
import { instrument, type Sabotage } from "./ports/instrument.js"
import { memory } from "./ports/MemoryBackend.js"
import { type Backend, type Ports, STORES } from "./ports/Ports.js"
import * as RotatingVault from "./ports/RotatingVault.js"
import * as VirtualWorkSignal from "./ports/VirtualWorkSignal.js"
import { Recorder } from "./trace/Recorder.js"
import { Secrets } from "./trace/Secrets.js"
import type { Entry, FaultKind, ReceivedMessage } from "./Trace.js"
import type { Driver } from "./world/Driver.js"
import { Processes, type Program, type WorkerConfig } from "./world/Processes.js"
import { Receivers } from "./world/Receivers.js"
import type { SabotageAnswers } from "./world/gateway/GatewayAnswer.js"
import * as Registry from "./world/Registry.js"
import { World } from "./world/World.js"

export interface Config extends WorkerConfig {
  /** A whole number. The same seed gives the same run. */
  readonly seed: number
  readonly startMillis?: number | undefined
  /**
   * Which ready fiber runs next: the fiber that became ready first (`fifo`), or a fiber that the seed picks (`random`).
   */
  readonly scheduling?: "fifo" | "random" | undefined
  /**
   * Faults that are on from the start of the scenario. A number is the probability, 0 to 1, that the fault strikes at
   * one port call, upload, webhook or mail.
   */
  readonly faults?: Partial<Readonly<Record<FaultKind, number | FaultSetting>>> | undefined
  /** Supplies the stores. Default: the in-memory stores. */
  readonly backend?: Backend | undefined
  /**
   * Connects the simulated people and apps to the service, for example over HTTP. Default: they call the domain's
   * programs directly.
   */
  readonly driver?: Driver | undefined
  readonly sabotage?: Sabotage | undefined
  /**
   * Replaces ports. The replacement stands between the programs and the wrapper that records calls for the trace, so
   * the trace shows only the calls that the replacement passes on.
   */
  readonly sabotageInFront?: Sabotage | undefined
  /**
   * Changes an app's answer before the service writes the access log's entry and sends the answer. A test plants bugs
   * in this way.
   */
  readonly sabotageAnswers?: SabotageAnswers | undefined
  /** The oracles that judge the run. Default: all. */
  readonly oracles?: ReadonlyArray<Oracle> | undefined
  /**
   * The longest virtual time for which the end of a run waits for unfinished deliveries and operations (`cap` of
   * `world.quiesce`).
   */
  readonly restCap?: Duration.DurationInput | undefined
  /** Whether the run fails when a program reads the host's clock, randomness or timers. Default: true. */
  readonly isGuarded?: boolean | undefined
}

/**
 * What happens in a run, as an Effect. When the Effect fails, the run reports a violation. When the Effect has ended,
 * the simulation turns off the faults, waits until every delivery and operation has ended, and lets the oracles judge
 * the trace.
 */
export type Scenario = (world: World) => Effect.Effect<unknown, unknown>

export interface SimResult {
  readonly seed: number
  /** The hash of the trace. Runs with equal hashes have the same trace. */
  readonly traceHash: string
  /** The number of steps that all fibers took. */
  readonly steps: number
  /** The virtual time that passed in the run, in milliseconds. */
  readonly virtualMs: number
  readonly violations: ReadonlyArray<Violation>
  /** For each mark (a rare situation), the number of times that the run reached it. */
  readonly marks: Readonly<Record<string, number>>
  readonly entries: ReadonlyArray<Entry>
  /** The trace as text of a file, with one JSON object on each line. */
  readonly jsonl: string
  /**
   * Why the scenario ended early, such as a failed assertion; null when the scenario reached its end. An early end is
   * also a violation.
   */
  readonly stopped: string | null
  /** True when every delivery and operation ended after all faults were turned off. */
  readonly quiesced: boolean
}

/** Runs a scenario with a backend that is not hosted, such as `memory`. The run is over when this call returns. */
export const runSync = (config: Config, scenario: Scenario): SimResult => {
  if (config.backend?.isHosted === true) throw new TypeError(`Runs over ${config.backend.name} take time: use run`)
  const run = prepare(config, scenario)
  const guard = config.isGuarded === false ? undefined : Guard.watch()
  if (guard !== undefined) run.engine.inside = guard.inside
  try {
    const exit = run.engine.run(run.program)
    guard?.check()
    return run.result(exit)
  } finally {
    guard?.release()
  }
}

/** Runs a scenario with any backend. */
export const run = async (config: Config, scenario: Scenario): Promise<SimResult> => {
  if (!(config.backend ?? memory).isHosted) return runSync(config, scenario)
  const run = prepare(config, scenario)
  const guard = config.isGuarded === false ? undefined : Guard.watch()
  if (guard !== undefined) run.engine.inside = guard.inside
  try {
    const exit = await run.engine.runAsync(run.program)
    guard?.check()
    return run.result(exit)
  } finally {
    guard?.release()
  }
}

interface RunEnd {
  readonly stopped: string | null
  readonly quiesced: boolean
}

const prepare = (config: Config, scenario: Scenario) => {
  const { seed, startMillis = START } = config
  for (const kind of Object.keys(config.faults ?? {})) demandKind(kind)
  demandDuration("restCap", config.restCap ?? 0)
  const backend = config.backend ?? memory
  const scheduling = config.scheduling === "random" ? Streams.make(seed, "scheduling") : undefined
  const engine = new Engine({ startMillis, scheduling })
  const recorder = new Recorder(engine.clock)
  const secrets = new Secrets()
  const faults = new Faults(Streams.make(seed, "faults"), Streams.make(seed, "later faults"))
  const receivers = new Receivers(recorder, secrets, faults)
  const processes = new Processes(engine, recorder, config)
  // Opens the database before the run or closes it after the run. This work runs on the host and takes no virtual time.
  const aside = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    backend.isHosted
      ? engine.onHost(effect)
      : Effect.suspend(() => Effect.runSyncExit(Effect.withClock(effect, engine.clock)))

  const vault = RotatingVault.make(secrets)
  const simulated = simulatedPorts({ faults, receivers, recorder, secrets, seed, vault: vault.vault })
  const onCrash = (process: Process.Process) =>
    Effect.gen(function* () {
      // As a supervisor would, the simulation starts the killed process again within a minute.
      const back = Effect.zipRight(Effect.sleep(faults.random.int(1, 60_000)), world.restart(process.name as Program))
      yield* engine.spawn(Process.WORLD, back)
      processes.kill(process.name)
    })
  let world: World

  const live = (scope: Scope.Scope) =>
    Effect.gen(function* () {
      const stores = yield* aside(Effect.provide(Layer.buildWithScope(backend.stores, scope), simulated))
      const raw = Object.values(STORES).reduce<Context.Context<Ports>>(
        // Takes only the stores from the backend, so that no other port of the backend replaces a simulated port.
        (ports, tag) => Context.add(ports, tag as never, Context.get(stores, tag as never)) as never,
        simulated as Context.Context<Ports>
      )
      engine.clock.hasDateBy = (timeOfDay) => {
        const tiers = Context.get(raw, TierStore)
        const page = { buckets: Bucket.ALL, now: Timestamp.make(timeOfDay), limit: 1, after: undefined }
        const found = Effect.orDie(tiers.due(page))
        return Effect.map(backend.isHosted ? engine.onHost(found) : found, (due) => due.length > 0)
      }
      const registry = Registry.make(secrets, hearing(recorder, receivers), config.sabotageAnswers)
      // When a server dies, its event streams end.
      processes.whenOneDies(({ name }) => {
        if (name === "server") registry.readers.clear()
      })
      engine.clock.hasWorkBy = (by) => {
        // While an event stream is open, the clock must not make the sleeps of the programs' loops longer. Otherwise
        // the stream's heartbeats would come too late, and the listener would count as gone.
        if (registry.readers.size > 0) return Effect.succeed(true)
        const moment = Timestamp.make(by)
        const found = Effect.orDie(
          Effect.gen(function* () {
            const crossings = yield* Context.get(raw, FixStore).settling(Bucket.ALL, moment, 1)
            if (crossings.length > 0) return true
            const mails = yield* Context.get(raw, MailOutbox).due(Bucket.ALL, 1, moment)
            if (mails.length > 0) return true
            if (registry.importers.size > 0) {
              const found = yield* Context.get(raw, ImportStore).due(Bucket.ALL, moment, [])
              if (Option.isSome(found)) return true
            }
            // While a lease is free, the clock must not make the sleeps of the workers' polling loops longer, because a
            // worker takes a free lease only when its loop wakes.
            const { leases } = yield* Context.get(raw, LeaseStore).survey(Lease.HOME)
            return leases.some(({ owner }) => owner === null)
          })
        )
        return backend.isHosted ? engine.onHost(found) : found
      }
      const instrumented = instrument(config.sabotage?.(raw) ?? raw, {
        engine,
        recorder,
        secrets,
        faults,
        isHosted: backend.isHosted,
        onCrash,
        onPause: (process, millis) => processes.pause(process, millis),
        onSkew: (process, millis) => processes.skew(process, millis),
        onRotate: vault.rotate
      })
      const ports = config.sabotageInFront?.(instrumented) ?? instrumented
      const random = Streams.make(seed, "workload")
      world = new World({
        engine,
        recorder,
        registry,
        faults,
        receivers,
        processes,
        ports,
        random,
        driver: config.driver
      })
      for (const name of processes.names) yield* world.restart(name)
      yield* world.do("signUp", { email: "staff@places.example", roles: ["reviewer", "admin"] }, "staff")
      for (const [kind, setting] of Object.entries(config.faults ?? {})) {
        faults.set(kind as FaultKind, typeof setting === "number" ? { p: setting } : setting)
      }
      const exit = yield* Effect.exit(Effect.suspend(() => scenario(world)))
      yield* world.heal
      const quiesced = yield* world.quiesce(config.restCap)
      yield* world.readAll
      const ended: RunEnd = { quiesced, stopped: Exit.isSuccess(exit) ? null : reason(exit.cause) }
      return ended
    })

  const program = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const exit = yield* Effect.exit(live(scope))
    yield* aside(Scope.close(scope, Exit.void))
    return yield* exit
  }).pipe(
    Effect.withTracerEnabled(false),
    Effect.provide(Logger.replace(Logger.defaultLogger, listener(recorder, secrets)))
  )

  const result = (exit: Exit.Exit<RunEnd, unknown>): SimResult => {
    if (Exit.isFailure(exit))
      throw new Error(`Run ${seed} broke: ${Cause.pretty(exit.cause, { renderErrorCause: true })}`)
    const { quiesced, stopped } = exit.value
    const judged: Run = { entries: recorder.entries, quiesced }
    return {
      seed,
      traceHash: recorder.hash,
      steps: engine.scheduler.steps,
      virtualMs: engine.clock.monotonic - startMillis,
      violations: [
        ...bugs(recorder.entries),
        ...judge(config.oracles ?? oracles, judged),
        ...(stopped === null
          ? []
          : [{ invariant: "runs to its end", at: recorder.entries.length - 1, detail: stopped }])
      ],
      marks: recorder.marks,
      entries: recorder.entries,
      jsonl: recorder.jsonl,
      stopped,
      quiesced
    }
  }
  return { engine, program, result }
}

/**
 * Returns a violation for each answer that shows a bug of the service: the code `internal_error`, or status 500 of a
 * call.
 */
const bugs = (entries: ReadonlyArray<Entry>): ReadonlyArray<Violation> =>
  entries.flatMap((entry): ReadonlyArray<Violation> => {
    if (entry.kind !== "done") return []
    const { outcome } = entry
    const isBug =
      outcome._tag === "refused"
        ? outcome.error === "internal_error"
        : entry.name === "call" && outcome._tag === "ok" && (outcome.value as Answered).status === 500
    return isBug ? [{ invariant: "no defects", at: entry.i, detail: JSON.stringify(outcome) }] : []
  })

const reason = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : JSON.stringify(error)
}

interface Simulation {
  readonly faults: Faults
  readonly receivers: Receivers
  readonly recorder: Recorder
  readonly secrets: Secrets
  readonly seed: number
  readonly vault: typeof Vault.Service
}

/**
 * How a mail server refuses a message: `Refused` is permanent, because the mailbox does not exist; `NotSent` is only
 * for this attempt.
 */
const BOUNCES: ReadonlyArray<Exclude<MailOutcome, { readonly _tag: "Sent" }>> = [
  { _tag: "Refused", reason: "550 no such user here" },
  { _tag: "NotSent", reason: "451 try again later" }
]

/**
 * Records in the trace the messages that readers of streams get, except `Ready` and heartbeats, because no oracle
 * judges these two.
 */
const hearing =
  (recorder: Recorder, receivers: Receivers): Registry.Registry["hear"] =>
  (listenerId, message) =>
    Effect.flatMap(FiberRef.get(Process.current), (process) =>
      Effect.sync(() => {
        const received = toReceived(receivers, message)
        if (received !== undefined) recorder.add(process, { kind: "heard", listenerId, message: received })
      })
    )

const toReceived = (receivers: Receivers, message: Registry.StreamMessage | null): ReceivedMessage | undefined => {
  if (message === null) return { _tag: "End", reason: "left" }
  switch (message._tag) {
    case "Event":
      return { _tag: "Event", ...receivers.readSigned(message.headers, message.body) }
    case "Dropped":
      return { _tag: "Dropped", count: message.count }
    case "End":
      return { _tag: "End", reason: message.reason }
    case "Ready":
    case "Beat":
      return undefined
  }
}

/** The ports that the simulation implements itself. */
const simulatedPorts = ({ faults, receivers, recorder, secrets, seed, vault }: Simulation) =>
  Context.empty().pipe(
    Context.add(Entropy, MemoryEntropy.make(Streams.make(seed, "ids").int(0, 2 ** 32 - 1))),
    Context.add(Vault, vault),
    Context.add(PasswordHasher, MemoryPasswordHasher.make),
    Context.add(WebhookSender, receivers.sender),
    // No oracle reads the audit log, so this port stores no events. It only searches each event for secrets in the
    // clear.
    Context.add(AuditLog, {
      append: (event) => Effect.sync(() => reportLeaks(recorder, secrets, event, "AuditLog.append")),
      list: () => Effect.succeed({ items: [], next: undefined })
    }),
    Context.add(Mailer, {
      send: ({ id, subject, to }) =>
        Effect.map(Effect.yieldNow(), (): MailOutcome => {
          const bounce = faults.strikes("mail.bounce") ? faults.later.pick(BOUNCES) : undefined
          recorder.add(Process.WORLD, { kind: "mailed", to, subject, id, ...(bounce && { bounced: bounce._tag }) })
          return bounce ?? { _tag: "Sent" }
        })
    }),
    Context.add(WorkSignal, VirtualWorkSignal.make())
  )

const reportLeaks = (recorder: Recorder, secrets: Secrets, value: unknown, where: string): void => {
  for (const alias of secrets.in(value)) recorder.add(Process.WORLD, { kind: "leak", alias, where })
}

/**
 * A logger that prints nothing. The logger searches the message, annotations and causes of each log line for secrets.
 */
const listener = (recorder: Recorder, secrets: Secrets) =>
  Logger.make(({ annotations, cause, message }) => {
    const causes = Cause.isEmpty(cause) ? [] : [Cause.pretty(cause), ...Cause.failures(cause), ...Cause.defects(cause)]
    reportLeaks(recorder, secrets, [message, causes, ...annotations], "the log")
  })
