/**
 * The HTTP side of the service: the JSON API, the OpenAPI document, and every page for people.
 * This package translates between requests and the domain's programs, and makes no decisions of its own.
 * It needs the domain's ports (stores, vault, limits) and an `HttpServer`; `apps/server` provides the ports and the
 * server.
 */
export { Api } from "./Api.js"
export * as HttpLive from "./HttpLive.js"
export type { ServiceOptions } from "./HttpOptions.js"
