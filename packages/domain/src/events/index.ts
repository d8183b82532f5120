export * as Authorisation from "./Authorisation.js"
export * as Event from "./Event.js"
export { EventStore } from "./EventStore.js"
