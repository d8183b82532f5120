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
 * Rules of `DeliveryStore`: the leases and the fairness of the queue, the results that a worker writes only while it
 * has the lease, the strike counter, sending again by hand, and the delivery log.
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
