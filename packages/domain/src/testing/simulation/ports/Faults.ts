import type { Stream } from "../engine/Streams.js"
import type { FaultKind } from "../Trace.js"

export const KINDS: ReadonlyArray<FaultKind> = [
  "port.fail",
  "port.slow",
  "port.unknown",
  "crash",
  "upload.duplicate",
  "upload.reorder",
  "clock.jump"
]

/** A setting of a kind that there is not would break nothing, and nobody would notice. */
export const demandKind = (kind: string): void => {
  if (!KINDS.some((known) => known === kind)) throw new TypeError(`A fault must be one of ${KINDS.join(", ")}`)
}

/** How often something is broken. */
export interface FaultSetting {
  /** In how many of the cases, 0 to 1. */
  readonly p: number
  /** Left out: until the world is healed. */
  readonly times?: number | undefined
}

/** What is broken now. Draws from a stream of its own, and nothing where a fault is off. */
export class Faults {
  private readonly settings = new Map<FaultKind, { readonly p: number; left: number }>()

  readonly random: Stream

  constructor(random: Stream) {
    this.random = random
  }

  /** From now on it goes wrong in this way. */
  set(kind: FaultKind, { p, times = Infinity }: FaultSetting): void {
    demandKind(kind)
    if (!(p >= 0 && p <= 1)) throw new TypeError(`The probability of ${kind} must be a number from 0 to 1`)
    this.settings.set(kind, { p, left: times })
  }

  get areOff(): boolean {
    return this.settings.size === 0
  }

  /** Nothing goes wrong any more. */
  heal(): void {
    this.settings.clear()
  }

  /** Whether it strikes here and now. */
  strikes(kind: FaultKind): boolean {
    const setting = this.settings.get(kind)
    if (setting === undefined || setting.left <= 0 || !this.random.chance(setting.p)) return false
    setting.left--
    return true
  }
}
