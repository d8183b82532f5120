import type { Contract } from "../Contract.js"
import { claiming } from "./deliveries/claiming.js"
import { finishing } from "./deliveries/finishing.js"
import { logging } from "./deliveries/logging.js"
import { replaying } from "./deliveries/replaying.js"
import { striking } from "./deliveries/striking.js"
import type { Needs } from "./webhookFixtures.js"

/** Rules of `DeliveryStore`: the queue's leases and fairness, the fenced ends, the strike counter, sending again by hand, the log. */
export const deliveryStoreContract: Contract<Needs> = [...claiming, ...finishing, ...striking, ...replaying, ...logging]
