export { Api } from "./Api.js"
export * as HttpLive from "./HttpLive.js"
export type { Options as HttpOptions } from "./HttpOptions.js"
