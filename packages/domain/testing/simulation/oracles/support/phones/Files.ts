import type { Run } from "../../../Oracle.js"
import { DAY } from "../../../Specification.js"
import { happened, mayBeDone } from "../trace/Happened.js"

/**
 * Decision imports-1: an import leaves out readings that were captured less than this long before the file's upload
 * ended.
 */
export const RECENT = DAY

/** Whether a file that the user imported before the entry `end` may have brought a reading with this time. */
export const mayBeOfFile = (run: Run, userId: string, at: number, end: number): boolean =>
  happened(run)
    .of("importFile")
    .some(
      (operation) =>
        operation.args.userId === userId &&
        operation.begin < end &&
        mayBeDone(operation) &&
        operation.args.readings.some(({ capturedAt }) => capturedAt === at && at <= operation.endedAt - RECENT)
    )
