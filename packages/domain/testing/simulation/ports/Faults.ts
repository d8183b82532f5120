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

/** Throws for a name that is no kind of fault: a misspelled setting would break nothing, and nobody would notice. */
export const demandKind = (kind: string): void => {
  if (!KINDS.some((known) => known === kind)) throw new TypeError(`A fault must be one of ${KINDS.join(", ")}`)
}

/** How often a fault strikes. */
export interface FaultSetting {
  /** The probability of each strike, 0 to 1. */
  readonly p: number
  /** The number of strikes after which the fault stops. Left out: it strikes until the world is healed. */
  readonly times?: number | undefined
}

/** The faults that are on. They draw from a stream of their own; a fault that is off draws nothing. */
export class Faults {
  private readonly settings = new Map<FaultKind, { readonly p: number; left: number }>()

  readonly random: Stream

  constructor(random: Stream) {
    this.random = random
  }

  /** Turns the fault on. */
  set(kind: FaultKind, { p, times = Infinity }: FaultSetting): void {
    demandKind(kind)
    if (!(p >= 0 && p <= 1)) throw new TypeError(`The probability of ${kind} must be a number from 0 to 1`)
    this.settings.set(kind, { p, left: times })
  }

  get areOff(): boolean {
    return this.settings.size === 0
  }

  /** Turns all faults off. */
  heal(): void {
    this.settings.clear()
  }

  /** Draws whether the fault strikes at this call. */
  strikes(kind: FaultKind): boolean {
    const setting = this.settings.get(kind)
    if (setting === undefined || setting.left <= 0 || !this.random.chance(setting.p)) return false
    setting.left--
    return true
  }
}
