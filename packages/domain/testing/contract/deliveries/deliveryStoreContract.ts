import type { Contract } from "../../Contract.js"
import { attempting } from "./attempting.js"
import { claiming } from "./claiming.js"
import { finishing } from "./finishing.js"
import { logging } from "./logging.js"
import { replaying } from "./replaying.js"
import { striking } from "./striking.js"
import type { WebhookFixturePorts } from "./webhookFixtures.js"

/**
 * Rules of `DeliveryStore`: the queue's leases and fairness, ends that a lost lease cannot write, the strike counter,
 * sending again by hand, the log.
 */
export const deliveryStoreContract: Contract<WebhookFixturePorts> = [
  ...attempting,
  ...claiming,
  ...finishing,
  ...striking,
  ...replaying,
  ...logging
]
