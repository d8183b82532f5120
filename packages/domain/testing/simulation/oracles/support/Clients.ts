import type { Knowledge } from "./Knowledge.js"
import type { Op } from "./trace/Ops.js"
import { CLIENT_SECRET_OVERLAP } from "../../Specification.js"

/**
 * Whether the newest client secret that the app received may be invalid. A registration whose answer was lost may have
 * replaced this secret, which then stays valid for another 24 hours (decision "Apps"). After these hours the service
 * refuses the app, as it refuses a stranger.
 */
export const mayLackItsSecret = ({ trace }: Knowledge, appId: string, op: Op): boolean => {
  const before = [...trace.ops.values()].filter(
    (other) => other.name === "registerRedirectUris" && other.args.appId === appId && other.from <= op.to
  )
  const known = before.findLast(({ outcome, to }) => outcome._tag === "ok" && to < op.from)
  return before.some(
    ({ from, outcome, tMin }) =>
      outcome._tag === "unknown" && from > (known?.from ?? -1) && trace.latest(op.to) - tMin >= CLIENT_SECRET_OVERLAP
  )
}
