import type { Stream } from "../engine/Streams.js"
import type { FaultKind } from "../Trace.js"

export const KINDS: ReadonlyArray<FaultKind> = [
  "port.fail",
  "port.slow",
  "port.unknown",
  "crash",
  "upload.duplicate",
  "upload.reorder",
  "clock.jump",
  "port.cut",
  "process.pause",
  "receiver.late",
  "clock.skew",
  "disk.full",
  "mail.bounce",
  "keys.rotate"
]

/**
 * The kinds of faults that draw from a separate stream of random numbers. So when one of these kinds is turned on, the
 * faults of the other kinds still strike at the same calls.
 */
const LATER: ReadonlySet<FaultKind> = new Set<FaultKind>([
  "port.cut",
  "process.pause",
  "receiver.late",
  "clock.skew",
  "disk.full",
  "mail.bounce",
  "keys.rotate"
])

/**
 * Throws when no kind of fault has this name. Without this check, nobody would notice that a misspelled setting has no
 * effect.
 */
export const demandKind = (kind: string): void => {
  if (!KINDS.some((known) => known === kind)) throw new TypeError(`A fault must be one of ${KINDS.join(", ")}`)
}

/** How probable a fault is, and how many times it may strike. */
export interface FaultSetting {
  /** The probability, 0 to 1, that the fault strikes at one port call, upload, webhook or mail. */
  readonly p: number
  /**
   * The number of times that the fault strikes before it stops. Default: the fault strikes until all faults are turned
   * off.
   */
  readonly times?: number | undefined
}

/** The kinds of faults that last for a while. */
type Lasting = "port.cut" | "disk.full"

/**
 * The place of the fault `disk.full`. All processes write to one disk, so the fault has one place for all processes.
 */
export const DISK = "the disk"

/** The faults that are on. Faults draw from random streams of their own, and a fault that is off draws no number. */
export class Faults {
  private readonly settings = new Map<FaultKind, { readonly p: number; left: number }>()
  /**
   * When each lasting fault ends, in milliseconds on the engine's clock. The key names the kind and the place: a
   * process or `DISK`.
   */
  private readonly spells = new Map<string, number>()

  readonly random: Stream
  /** The stream of random numbers for the faults of the kinds in `LATER`. */
  readonly later: Stream

  constructor(random: Stream, later: Stream) {
    this.random = random
    this.later = later
  }

  /** Turns the fault on. */
  set(kind: FaultKind, { p, times = Infinity }: FaultSetting): void {
    demandKind(kind)
    if (!(p >= 0 && p <= 1)) throw new TypeError(`The probability of ${kind} must be a number from 0 to 1`)
    this.settings.set(kind, { p, left: times })
  }

  get areOff(): boolean {
    return this.settings.size === 0 && this.spells.size === 0
  }

  /** Turns all faults off. */
  heal(): void {
    this.settings.clear()
    this.spells.clear()
  }

  /** Decides by a random number whether the fault strikes at this call. Always false for a fault that is off. */
  strikes(kind: FaultKind): boolean {
    const setting = this.settings.get(kind)
    const random = LATER.has(kind) ? this.later : this.random
    if (setting === undefined || setting.left <= 0 || !random.chance(setting.p)) return false
    setting.left--
    return true
  }

  /**
   * Begins a lasting fault at this place: a process, or `DISK`. The fault lasts until the engine's clock shows `until`.
   */
  begin(kind: Lasting, place: string, until: number): void {
    this.spells.set(`${kind} ${place}`, until)
  }

  /** Whether the fault has begun at this place and is not over yet. */
  lasts(kind: Lasting, place: string, now: number): boolean {
    return now < (this.spells.get(`${kind} ${place}`) ?? -Infinity)
  }
}
