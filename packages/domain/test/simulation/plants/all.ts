import { plants as accessLog } from "./accessLog.js"
import { plants as answers } from "./answers.js"
import { plants as concurrency } from "./concurrency.js"
import { plants as deliveries } from "./deliveries.js"
import { plants as imports } from "./imports.js"
import { plants as limits } from "./limits.js"
import { plants as listeners } from "./listeners.js"
import type { Plant } from "./plant.js"
import { plants as purposes } from "./purposes.js"
import { plants as replays } from "./replays.js"
import { plants as rules } from "./rules.js"
import { plants as sessions } from "./sessions.js"
import { plants as steering } from "./steering.js"
import { plants as tiers } from "./tiers.js"
import { plants as tokens } from "./tokens.js"
import { plants as trouble } from "./trouble.js"
import { plants as visits } from "./visits.js"
import { plants as webhooks } from "./webhooks.js"
import { plants as windows } from "./windows.js"

export const plants: ReadonlyArray<Plant> = [
  ...tokens,
  ...tiers,
  ...purposes,
  ...rules,
  ...windows,
  ...concurrency,
  ...visits,
  ...webhooks,
  ...deliveries,
  ...replays,
  ...accessLog,
  ...answers,
  ...sessions,
  ...steering,
  ...trouble,
  ...listeners,
  ...imports,
  ...limits
]
