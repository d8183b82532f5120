import { make } from "./engine/Streams.js"
import type { FaultKind } from "./Trace.js"

/** What a run has that others do not have. */
export interface Swarm {
  readonly scheduling: "fifo" | "random"
  readonly workers: 1 | 2
  readonly faults: Partial<Readonly<Record<FaultKind, number>>>
  /** Of the features that were offered, about half. */
  readonly features: ReadonlyArray<string>
}

/** Rarely and often; what strikes at every call strikes more rarely. */
const CHANCES: Readonly<Record<FaultKind, readonly [rarely: number, often: number]>> = {
  "port.fail": [0.002, 0.03],
  "port.slow": [0.002, 0.03],
  "port.unknown": [0.002, 0.03],
  crash: [0.000_5, 0.005],
  "upload.duplicate": [0.1, 0.5],
  "upload.reorder": [0.1, 0.5],
  "clock.jump": [0.000_2, 0.002]
}

/**
 * Which faults and features a run has, by its seed alone. Few at a time: what everything together would hide, a run with two or three
 * of them shows. In a quarter of the runs nothing breaks.
 */
export const of = (seed: number, features: ReadonlyArray<string> = []): Swarm => {
  const random = make(seed, "swarm")
  const scheduling = random.chance(0.75) ? "random" : "fifo"
  const workers = random.chance(0.5) ? 1 : 2
  const isHealthy = random.chance(0.25)
  const faults: Partial<Record<FaultKind, number>> = {}
  for (const kind of Object.keys(CHANCES) as ReadonlyArray<FaultKind>) {
    const [isOn, isOften] = [random.chance(0.35), random.chance(0.3)]
    if (!isHealthy && isOn) faults[kind] = CHANCES[kind][isOften ? 1 : 0]
  }
  return { scheduling, workers, faults, features: features.filter(() => random.chance(0.5)) }
}
