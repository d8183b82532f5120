import type { Run } from "../../Oracle.js"
import { endpointsOf, isSurelyEnabled, surelyWants } from "./Endpoints.js"
import { firings, rows } from "./Firings.js"
import type { MadeRule } from "./Ground.js"
import { happened, isDone } from "./Happened.js"
import { phonesOf } from "./Phones.js"
import { DAY } from "./Spec.js"

/** What was told of a rule's firings, and what would have been told. */

export interface Observer {
  readonly at: (capturedAt: number) => boolean
  /** A firing was told of between two times, both excluded. */
  readonly between: (from: number, to: number) => boolean
  /** A firing of then would be seen for certain. */
  readonly isShown: (capturedAt: number) => boolean
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
    .findLast((did) => did.args.appId === appId && isDone(did))
  const uploads = phonesOf(run, rule.pair.userId)
  const wanting = [...endpointsOf(run).values()].filter((one) => one.appId === appId)
  return {
    at: (at) => set.has(at),
    between: (from, to) => fired.some((at) => at > from && at < to),
    isShown: (at) => {
      if (!run.quiesced || read === undefined || logged.has(at) || read.endedAt - at > 29 * DAY) return false
      const brought = uploads.at(at).flatMap((fix) => fix.uploads)
      const begin = Math.min(...brought.map((upload) => upload.begin))
      const end = Math.max(...brought.map((upload) => upload.end))
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
