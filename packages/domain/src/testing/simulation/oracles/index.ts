import type { Oracle } from "../Oracle.js"
import { accessLog } from "./accessLog.js"
import { answers } from "./answers.js"
import { budgets } from "./budgets.js"
import { concurrency } from "./concurrency.js"
import { deliveries } from "./deliveries.js"
import { disclosures } from "./disclosures.js"
import { payloads } from "./payloads.js"
import { purposes } from "./purposes.js"
import { replays } from "./replays.js"
import { rules } from "./rules.js"
import { tiers } from "./tiers.js"
import { tokens } from "./tokens.js"
import { visitValues } from "./visitValues.js"
import { visits } from "./visits.js"
import { webhooks } from "./webhooks.js"
import { windows } from "./windows.js"

/** Every invariant there is an oracle for. */
export const all: ReadonlyArray<Oracle> = [
  ...tokens,
  ...tiers,
  ...purposes,
  ...rules,
  ...windows,
  ...concurrency,
  ...visits,
  ...visitValues,
  ...webhooks,
  ...deliveries,
  ...replays,
  ...accessLog,
  ...answers,
  ...payloads,
  ...budgets,
  ...disclosures
]
