// How a process divides its time between large uploads and other requests. Decision fixes-8.
import { Context } from "effect"

/** How fast a large upload is stored. */
export interface UploadPace {
  /**
   * The maximum number of visit reports in one commit of a large upload, and the usual maximum of its readings.
   * Readings of one instant stay together, so a commit can have up to twice this number of readings.
   */
  readonly partEntries: number
  /**
   * The share of the time that a large upload may use, above 0 and at most 1. With 0.5, each part is followed by a
   * pause as long as the part took; with 1 there is no pause.
   */
  readonly share: number
}

/** The pace of a process in which no other request waits while an upload is stored. */
export const QUICK: UploadPace = { partEntries: 250, share: 1 }

/** The pace of a server whose database runs in other processes. */
export const FAIR: UploadPace = { partEntries: 250, share: 0.5 }

/** The pace of a server that contains the database: no other request runs during a part, so parts are short. */
export const POLITE: UploadPace = { partEntries: 100, share: 0.5 }

/** The pace at which this process stores large uploads. A server sets `FAIR` or `POLITE`. */
export class Current extends Context.Reference<Current>()("@place-access/domain/fixes/UploadPace", {
  defaultValue: (): UploadPace => QUICK
}) {}
