import { Encoding } from "effect"
import { sha256 } from "../../memory/vault/Sha256.js"
import * as Utf8 from "../../memory/vault/Utf8.js"
import * as Process from "../engine/Process.js"
import type { VirtualClock } from "../engine/VirtualClock.js"
import type {
  BegunOperation,
  Done,
  Entry,
  Fault,
  Leak,
  Mailed,
  Marked,
  PortCall,
  Posted,
  StreamEntry
} from "../Trace.js"
import { hasShape } from "./Secrets.js"

export type Happening = BegunOperation | Done | Posted | StreamEntry | Mailed | PortCall | Fault | Leak | Marked

/**
 * Writes the trace. The hash of each entry includes the hash of the entry before, so two traces with equal last hashes
 * are equal.
 */
export class Recorder {
  readonly entries: Array<Entry> = []
  private readonly lines: Array<string> = []
  private hashed = 0
  private chain = ""

  private readonly clock: VirtualClock

  constructor(clock: VirtualClock) {
    this.clock = clock
  }

  /**
   * Adds an entry and returns its number. `isNews`: the entry may mean work for another fiber, so worker loops that the
   * clock lets sleep longer wake after their own interval (`VirtualClock.stir`).
   */
  add(process: Process.Process, happening: Happening, isNews = true): number {
    const i = this.entries.length
    const entry: Entry = {
      i,
      t: this.clock.timeOfDay,
      passed: this.clock.elapsed,
      proc: Process.label(process),
      ...happening
    }
    const line = JSON.stringify(entry)
    this.entries.push(entry)
    this.lines.push(line)
    if (isNews) this.clock.stir()
    if (hasShape(line)) this.add(process, { kind: "leak", alias: "a secret", where: `the trace, entry ${i}` })
    return i
  }

  /** The trace as text, with one JSON object on each line. */
  get jsonl(): string {
    return this.lines.map((line) => `${line}\n`).join("")
  }

  get hash(): string {
    for (; this.hashed < this.lines.length; this.hashed++) {
      this.chain = Encoding.encodeHex(sha256(Utf8.encode(`${this.chain}\n${this.lines[this.hashed] ?? ""}`)))
    }
    return this.chain
  }

  get marks(): Readonly<Record<string, number>> {
    const marks: Record<string, number> = {}
    for (const entry of this.entries) if (entry.kind === "mark") marks[entry.mark] = (marks[entry.mark] ?? 0) + 1
    return marks
  }
}
