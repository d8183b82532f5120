/**
 * Webhook endpoints: the addresses to which an app has its events posted, with their signing secrets and subscriptions.
 * The service disables an endpoint when 20 deliveries in a row have failed at every attempt; the developer can enable
 * it again. `EndpointUrl` lists the reasons to refuse an address, `WebhookSender` checks addresses and posts,
 * `SigningSecret` rotates secrets. The developer's pages call `manageEndpoints`; the room `deliveries` reads endpoints
 * and counts failed deliveries.
 *
 * @module
 */

export { type WebhookAnswer, WebhookSender } from "./WebhookSender.js"
export * as EndpointHeader from "./EndpointHeader.js"
export * as EndpointUrl from "./EndpointUrl.js"
export { EndpointStore } from "./EndpointStore.js"
export * as SigningSecret from "./SigningSecret.js"
export * as StrikeWarning from "./StrikeWarning.js"
export * as WebhookEndpoint from "./WebhookEndpoint.js"
export {
  createEndpoint,
  endPreviousSecrets,
  type EndpointEdit,
  type HeaderChanges,
  listEndpoints,
  type NewEndpoint,
  removeEndpoint,
  replaceSecret,
  rotateSecret,
  updateEndpoint
} from "./manageEndpoints.js"
