import type { Run } from "../../../Oracle.js"
import { DAY } from "../../../Specification.js"
import { happened, mayBeDone } from "../trace/Happened.js"

/** Decision imports-1: an import leaves out the readings of this long before the end of the file's upload. */
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
