/**
 * Sends webhooks over https, and checks the addresses to which they may go. `HttpWebhookSender` is the domain's
 * `WebhookSender`; `EgressGuard`, `UrlRules` and `Resolver` are its parts. Receivers of webhooks import `verify`
 * (`@place-access/adapters-webhook/verify`), which imports none of these modules.
 */
export * as EgressGuard from "./EgressGuard.js"
export * as HttpWebhookSender from "./HttpWebhookSender.js"
export * as Resolver from "./Resolver.js"
export * as UrlRules from "./UrlRules.js"
