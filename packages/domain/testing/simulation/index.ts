/**
 * The simulation: people, apps, receivers and the real programs of the service on virtual time. A scenario says what
 * people and apps do. The engine runs the scenario from one seed, and oracles judge the trace.
 * `packages/domain/docs/simulation.md` explains the parts.
 */

export { Engine, type EngineOptions, START, Stuck } from "./engine/Engine.js"
export * as Guard from "./engine/Guard.js"
export * as Process from "./engine/Process.js"
export * as Streams from "./engine/Streams.js"
export type * from "./Operations.js"
export { judge, type Oracle, type Run, type Violation } from "./Oracle.js"
export * as Oracles from "./oracles/index.js"
export { Faults, type FaultSetting, KINDS } from "./ports/Faults.js"
export type { Sabotage } from "./ports/instrument.js"
export { memory, type MemoryWithBackups, withBackups } from "./ports/MemoryBackend.js"
export { type Backend, type Ports, type Simulated, STORES, type Stores } from "./ports/Ports.js"
export { demandRepeatable } from "./demandRepeatable.js"
export { type Config, run, runSync, type Scenario, type SimResult } from "./Simulation.js"
export type * from "./Trace.js"
export {
  type App,
  Connection,
  type Draft as AppDraft,
  Hook,
  Listening,
  type PurposeDraft,
  type Terms
} from "./world/App.js"
export type { Flush, Measured, Phone } from "./world/Phone.js"
export type { Plan, PlanStep } from "./plan/Plan.js"
export type { SabotageAnswers } from "./world/gateway/GatewayAnswer.js"
export { readPlan } from "./plan/readPlan.js"
export { play } from "./plan/play.js"
export { failureOf, testOf } from "./plan/print.js"
export {
  failedRun,
  type PlanConfig,
  type PlanResult,
  random,
  type RandomConfig,
  randomSync,
  runPlan,
  runPlanSync,
  type ShrinkConfig,
  type Shrunk,
  shrinking,
  shrinkSync
} from "./plan/run.js"
export * as Mutation from "./guided/Mutation.js"
export { reachedBy } from "./guided/Reached.js"
export * as Search from "./guided/Search.js"
export * as Swarm from "./plan/Swarm.js"
export type { Reply, Script } from "./world/Receivers.js"
export type { Place, PlaceDraft, User } from "./world/User.js"
export type { Driver, Perform } from "./world/Driver.js"
export { ISSUER, passwordOf, VERIFIER, WRONG_REDIRECT_URI } from "./world/operations/Handlers.js"
export { perform as performDirectly } from "./world/operations/perform.js"
export type { KnownApp, Registry, StreamMessage } from "./world/Registry.js"
export { leave, read as readStream } from "./world/listening.js"
export type { Program } from "./world/Processes.js"
export { NotDone } from "./world/Stage.js"
export { World } from "./world/World.js"
