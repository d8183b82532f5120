/**
 * The HTTP side of the service: the JSON API, the OpenAPI document, and every page for people.
 * It translates between requests and the domain's programs and holds no rules of its own.
 * It needs the domain's ports (stores, vault, limits) and an `HttpServer`; `apps/server` provides both.
 */
export { Api } from "./Api.js"
export * as HttpLive from "./HttpLive.js"
export type { ServiceOptions } from "./HttpOptions.js"
