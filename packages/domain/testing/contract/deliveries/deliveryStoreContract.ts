import type { Contract } from "../../Contract.js"
import { attempting } from "./attempting.js"
import { claiming } from "./claiming.js"
import { finishing } from "./finishing.js"
import { logging } from "./logging.js"
import { replaying } from "./replaying.js"
import { sharedClaim } from "./sharedClaim.js"
import { striking } from "./striking.js"
import type { WebhookFixturePorts } from "./webhookFixtures.js"

/**
 * What every `DeliveryStore` must guarantee: leases, fair shares of the queue, results that a worker may write only
 * under its lease, the count of strikes, deliveries that are sent again by hand, and the delivery log.
 */
export const deliveryStoreContract: Contract<WebhookFixturePorts> = [
  ...attempting,
  ...claiming,
  sharedClaim,
  ...finishing,
  ...striking,
  ...replaying,
  ...logging
]
