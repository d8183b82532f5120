// How large uploads share their process with other requests. Decision fixes-8.
import { Context } from "effect"

/** How fast a large upload is stored. */
export interface UploadPace {
  /** The most readings, and the most visit reports, in one commit. */
  readonly partEntries: number
  /** The share of the time that the upload may take: after each part it pauses for the rest. */
  readonly share: number
}

/** For a process whose database has processes of its own. */
export const QUICK: UploadPace = { partEntries: 250, share: 1 }

/** For a process that contains the database: nothing else runs during a part, so parts are short, with pauses. */
export const POLITE: UploadPace = { partEntries: 100, share: 0.5 }

/** The pace of this process. */
export class Current extends Context.Reference<Current>()("@place-access/domain/fixes/UploadPace", {
  defaultValue: (): UploadPace => QUICK
}) {}
