import { Schema } from "effect"
import { Timestamp } from "../shared/Timestamp.js"

/** `webhook_url` is not exactly the address of one of the app's endpoints. Wire: 400 `webhook_url_not_registered` (Spec §7). */
export class WebhookUrlNotRegistered extends Schema.TaggedError<WebhookUrlNotRegistered>()(
  "WebhookUrlNotRegistered",
  {}
) {}

/** The rule would be the eleventh at `instant`. Wire: 409 `rule_limit_reached`, naming the instant (Spec §4.6.6). */
export class RuleLimitReached extends Schema.TaggedError<RuleLimitReached>()("RuleLimitReached", {
  instant: Timestamp
}) {}
