import type { Oracle } from "../Oracle.js"
import { concurrency } from "./concurrency.js"
import { deliveries } from "./deliveries.js"
import { rules } from "./rules.js"
import { visits } from "./visits.js"
import { webhooks } from "./webhooks.js"
import { windows } from "./windows.js"

/** Every invariant there is an oracle for. */
export const all: ReadonlyArray<Oracle> = [
  ...rules,
  ...windows,
  ...concurrency,
  ...visits,
  ...webhooks,
  ...deliveries
]
