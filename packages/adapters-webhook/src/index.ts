export * as EgressGuard from "./EgressGuard.js"
export * as HttpWebhookSender from "./HttpWebhookSender.js"
export * as Resolver from "./Resolver.js"
export * as UrlRules from "./UrlRules.js"
