import { Effect } from "effect"
import * as Timestamp from "../shared/Timestamp.js"
import type { WithApp } from "./ConnectionStore.js"
import * as ConnectionView from "./ConnectionView.js"

/** `GET /v1/me`: open to every live access token, whatever its scopes (Spec §5.8). */
export const describeConnection = (caller: WithApp): Effect.Effect<ConnectionView.Description> =>
  Effect.map(Timestamp.now, (now) => ConnectionView.describe(caller, now))
