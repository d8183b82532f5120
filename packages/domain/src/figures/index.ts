/**
 * Figures: the numbers that developers read about their apps and endpoints, and the log of an app's own calls. Programs
 * report calls, firings and attempts to a recorder, which returns immediately; each process stores its counts every
 * second (`recordFigures`). The numbers contain no personal data. They are exact enough for a page but not for a bill,
 * because a crash or a failing database loses counts.
 *
 * @module
 */

export * as AppFigures from "./AppFigures.js"
export * as EndpointFigures from "./EndpointFigures.js"
export { type CallFilter, COUNTED_MAX, FiguresStore, type UserCounts } from "./FiguresStore.js"
export {
  type AppDay,
  type AppOverview,
  type EndpointOverview,
  listAppCalls,
  readAppFigures,
  readEndpointFigures,
  readEndpointHealth
} from "./readFigures.js"
export { recorder as figuresRecorder, report as reportFigures } from "./FiguresRecorder.js"
export { recordFigures } from "./recordFigures.js"
export * as Tally from "./Tally.js"
