/**
 * How long a user's history is kept: without a limit, or for 30, 90 or 365 days, as the user chooses. `History`
 * computes the cutoff. No answer contains history older than the cutoff, even before a sweep deletes it. The account
 * page calls `previewChoice` and `chooseHistory`; every program that reads the past applies the cutoff. Owners can also
 * delete a stretch of time (`eraseHistory`). When a phone later sends readings from a deleted stretch, they are not
 * stored.
 *
 * @module
 */

export {
  chooseHistory,
  type Described,
  describeHistory,
  getHistoryChoice,
  type KeptHistory,
  previewChoice
} from "./chooseHistory.js"
export * as Erasure from "./Erasure.js"
export { eraseHistory, listErasures, previewErasure } from "./eraseHistory.js"
export * as History from "./History.js"
export { type Extent, HistoryStore, type Between, type DeletionTimes } from "./HistoryStore.js"
