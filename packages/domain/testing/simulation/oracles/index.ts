/**
 * The oracles, one for each invariant of the specification. An oracle reads the trace of a run and reports where the
 * run broke the invariant. Oracles share no code with the product, because shared code would hide the product's
 * mistakes. `packages/domain/docs/oracles.md` lists the row of the specification that each oracle judges.
 */

import type { Oracle } from "../Oracle.js"
import { accessLog } from "./accessLog.js"
import { answers } from "./answers.js"
import { budgets } from "./budgets.js"
import { concurrency } from "./concurrency.js"
import { deliveries } from "./deliveries.js"
import { disclosures } from "./disclosures.js"
import { imports } from "./imports.js"
import { listeners } from "./listeners.js"
import { mail } from "./mail.js"
import { payloads } from "./payloads.js"
import { purposes } from "./purposes.js"
import { replays } from "./replays.js"
import { sessions } from "./sessions.js"
import { rules } from "./rules/rules.js"
import { erasures, steering } from "./steering.js"
import { tiers } from "./connection/tiers.js"
import { tokens } from "./connection/tokens.js"
import { uploads } from "./rules/uploads.js"
import { visitValues } from "./visitValues.js"
import { visits } from "./visits.js"
import { webhooks } from "./webhooks.js"
import { windows } from "./rules/windows.js"

/** All oracles, one for each invariant. */
export const all: ReadonlyArray<Oracle> = [
  ...tokens,
  ...tiers,
  ...purposes,
  ...uploads,
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
  ...disclosures,
  ...sessions,
  ...steering,
  ...erasures,
  ...mail,
  ...listeners,
  ...imports
]
