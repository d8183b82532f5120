import type { Run } from "../../../Oracle.js"
import { endpointsOf, isSurelyEnabled, surelyWants } from "../deliveries/Endpoints.js"
import { firings, rows } from "../deliveries/Firings.js"
import type { MadeRule } from "../Ground.js"
import { happened, isDone } from "./Happened.js"
import { phonesOf } from "../phones/Phones.js"
import { DAY, UNDELIVERED_KEPT } from "../../../Specification.js"

/** The firings of a rule that the trace shows, and the times for which the trace would certainly show a firing. */

export interface Observer {
  readonly at: (capturedAt: number) => boolean
  /** Whether the trace shows a firing between two times, both excluded. */
  readonly between: (from: number, to: number) => boolean
  /**
   * Whether the trace would certainly show a firing for the time `capturedAt`. `until` is the last entry at which the
   * service may have written the firing. `since`, an entry before the firing, is needed only when no reading was
   * captured at `capturedAt`.
   */
  readonly isShown: (capturedAt: number, until?: number, since?: number) => boolean
}

export const observing = (run: Run, rule: MadeRule): Observer => {
  const fired = firings(run)
    .filter(({ ruleId }) => ruleId === rule.ruleId)
    .map(({ occurredAt }) => occurredAt)
  const set = new Set(fired)
  const { appId } = rule.pair
  const type = `${rule.kind}.${rule.fields.type}`
  const logged = new Set(
    rows(run)
      .filter((row) => row.appId === appId && row.type === type)
      .map(({ occurredAt }) => occurredAt)
  )
  const read = happened(run)
    .of("readDeliveries")
    .findLast((operation) => operation.args.appId === appId && isDone(operation))
  const uploads = phonesOf(run, rule.pair.userId)
  const wanting = [...endpointsOf(run).values()].filter((one) => one.appId === appId)
  return {
    at: (at) => set.has(at),
    between: (from, to) => fired.some((at) => at > from && at < to),
    isShown: (at, until = 0, since = Infinity) => {
      if (!run.quiesced || read === undefined || logged.has(at) || read.endedAt - at > UNDELIVERED_KEPT - DAY)
        return false
      const brought = uploads.at(at).flatMap((fix) => fix.uploads)
      const begin = Math.min(since, ...brought.map((upload) => upload.begin))
      const end = Math.max(until, ...brought.map((upload) => upload.end))
      return wanting.some((endpoint) => {
        if (!isSurelyEnabled(endpoint, begin, end)) return false
        const { webhookUrl } = rule.fields
        return webhookUrl === null
          ? surelyWants(endpoint, type, begin, read.end)
          : endpoint.urls.possible(begin, read.end).every((url) => url === webhookUrl)
      })
    }
  }
}
