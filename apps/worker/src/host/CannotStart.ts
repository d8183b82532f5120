import { Data } from "effect"

/** The program cannot do its work, for a reason that the person who runs it can do something about. Shown without a trace. */
export class CannotStart extends Data.TaggedError("CannotStart")<{
  /** What is wrong and what to do, in whole sentences. */
  readonly message: string
  /** Who must change something before another try makes sense: the settings or the command line. */
  readonly fault?: "settings" | "usage"
}> {}
