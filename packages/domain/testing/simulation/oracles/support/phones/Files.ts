import type { Run } from "../../../Oracle.js"
import { DAY } from "../../../Specification.js"
import { happened, mayBeDone } from "../trace/Happened.js"

/** Decision imports-1: a reading that is newer than 24 hours before the end of the upload is left out. */
export const RECENT = DAY

/** Whether a file that the user imported before `end` may have brought a reading of this time. */
export const mayBeOfFile = (run: Run, userId: string, at: number, end: number): boolean =>
  happened(run)
    .of("importFile")
    .some(
      (did) =>
        did.args.userId === userId &&
        did.begin < end &&
        mayBeDone(did) &&
        did.args.readings.some(({ capturedAt }) => capturedAt === at && at <= did.endedAt - RECENT)
    )
