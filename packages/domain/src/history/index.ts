export * as History from "./History.js"
