import { Data } from "effect"

/**
 * The error of a program or command that cannot start or go on, for a reason that the person who runs it can remove.
 * The program prints the message without a stack trace.
 */
export class CannotStart extends Data.TaggedError("CannotStart")<{
  /** What is wrong and what to do about it, in whole sentences. */
  readonly message: string
  /** What must change before a restart can succeed: the settings or the command line. */
  readonly fault?: "settings" | "usage"
}> {}
