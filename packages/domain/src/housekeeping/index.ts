export * as Retention from "./Retention.js"
export { RetentionStore } from "./RetentionStore.js"
export { runHousekeeping } from "./runHousekeeping.js"
export { sweepExpired } from "./sweepExpired.js"
