import type { Knowledge } from "./Knowledge.js"
import type { Op } from "./Ops.js"
import { DAY } from "./Spec.js"

/**
 * A registration whose answer nobody got may have replaced the app's secret, and the one that the app goes on with is good for
 * another 24 hours (decision "Apps"): then its own client is refused as a stranger is.
 */
export const mayLackItsSecret = ({ trace }: Knowledge, appId: string, op: Op): boolean => {
  const before = [...trace.ops.values()].filter(
    (other) => other.name === "registerRedirectUris" && other.args.appId === appId && other.from <= op.to
  )
  const known = before.findLast(({ outcome, to }) => outcome._tag === "ok" && to < op.from)
  return before.some(
    ({ from, outcome, tMin }) =>
      outcome._tag === "unknown" && from > (known?.from ?? -1) && trace.latest(op.to) - tMin >= DAY
  )
}
