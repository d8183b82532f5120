import { Effect } from "effect"
import * as Timestamp from "../shared/Timestamp.js"

/**
 * Runs `job` at the start and then whenever a whole number of `every` milliseconds has passed on the clock, until interrupted. A
 * run that fails is logged as `what`, and the next one comes in its time.
 */
export const onTheClock = <E, R>(what: string, every: number, job: Effect.Effect<unknown, E, R>) =>
  job.pipe(
    Effect.catchAllCause((cause) => Effect.logError(`${what} failed, later again`, cause)),
    Effect.zipRight(Effect.flatMap(Timestamp.now, (now) => Effect.sleep(every - (now % every)))),
    Effect.forever
  )
