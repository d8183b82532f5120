import type { DeliveryRow } from "../Operations.js"
import type { Oracle, Run } from "../Oracle.js"
import { endpointsOf } from "./support/deliveries/Endpoints.js"
import { caps, deliveryLogs } from "./support/deliveries/Deliveries.js"
import { postsOf, type Row, rows } from "./support/deliveries/Firings.js"
import { ground } from "./support/Ground.js"
import {
  type CompletedCall,
  happened,
  isDone,
  isoOf,
  mayBeDone,
  type Post,
  spanOf,
  textOf,
  timeOf
} from "./support/trace/Happened.js"
import { isUndisturbed, lastShown, overSent } from "./support/deliveries/OverSent.js"
import { claimsHeldTwice, waitsAfterLapse } from "./support/deliveries/Leases.js"
import { wronglyKept } from "./support/deliveries/Retained.js"
import { index } from "./support/trace/Ops.js"
import { oracle } from "./support/trace/oracle.js"
import { ANSWER_DEADLINE, ATTEMPTS, DELIVERED_KEPT, GAPS, HOUR, MINUTE, SECOND } from "../Specification.js"
import { hurriesOf, wrongDisablings } from "./support/deliveries/Strikes.js"

/** Oracles of the attempts and states of each delivery (Spec §3.4, §3.5, §6.4). */

const each = (run: Run, wrong: (row: Row) => string | undefined) =>
  rows(run).flatMap((row) => {
    const detail = wrong(row)
    return detail === undefined ? [] : [{ at: row.read.end, detail: `delivery ${row.deliveryId}: ${detail}` }]
  })

const byNumber = ({ attempts }: DeliveryRow) =>
  [...attempts].sort((a, b) => a.attempt - b.attempt || a.startedAt - b.startedAt)

const d1: Oracle = {
  name: "D1",
  rule: "At most seven attempts, 30 s, 5 min, 30 min, 2 h, 6 h and 15 h after the one before, and while nothing fails not much later (Spec §6.4.6)",
  check: (run) => [
    ...each(run, (row) => {
      const attempts = byNumber(row)
      if (attempts.length > ATTEMPTS || row.attempt > ATTEMPTS) return `${attempts.length} attempts were made`
      // The times of rows come from the clock. If somebody set the clock, the difference of two times does not show how
      // much time passed.
      if (happened(run).faults.some(({ fault }) => fault === "clock.jump")) return undefined
      for (const [index, later] of attempts.entries()) {
        const before = attempts[index - 1]
        const least = before === undefined ? undefined : GAPS[before.attempt - 1]
        if (before === undefined || least === undefined || later.attempt !== before.attempt + 1) continue
        const isHurried = hurriesOf(run, row.deliveryId).some(
          ({ beganAt, endedAt }) => beganAt <= later.startedAt && endedAt >= before.startedAt
        )
        const gap = later.startedAt - before.endedAt
        // One worker may have written the end of the earlier attempt, and another worker the start of the later
        // attempt. The clock of each may be wrong by `skewMs`, so the gap in the trace may be shorter than the real
        // gap, by at most twice `skewMs`.
        if (!isHurried && gap < least - 2 * happened(run).skewMs)
          return `attempt ${later.attempt} came ${spanOf(gap)} after the one before`
      }
      return undefined
    }),
    ...lateRetries(run),
    ...beyondSeven(run)
  ]
}

/**
 * How much later than its time a retry may come while nothing fails: the worker may be busy with other deliveries.
 */
const RETRY_PROMPT = 5 * MINUTE

/**
 * Reports each retry that came too late. The check runs only when no fault disturbed a program and nobody set the
 * clock, because then each POST of a delivery is one attempt. It skips deliveries that were replayed or brought
 * forward.
 */
const lateRetries = (run: Run) => {
  if (happened(run).slackMs > 0) return []
  const sent = new Map<string, number>()
  for (const { endpointId, eventId } of rows(run))
    sent.set(`${eventId} ${endpointId}`, (sent.get(`${eventId} ${endpointId}`) ?? 0) + 1)
  return each(run, ({ deliveryId, endpointId, eventId, isReplay, isTest }) => {
    const isOnly = sent.get(`${eventId} ${endpointId}`) === 1 && goneReplays(run, endpointId) === 0
    if (isReplay || isTest || !isOnly || hurriesOf(run, deliveryId).length > 0) return undefined
    const posts = postsOf(run, eventId, endpointId)
    for (const [number, post] of posts.entries()) {
      const [before, least] = [posts[number - 1], GAPS[number - 1]]
      if (before === undefined || least === undefined) continue
      const late = post.beganAt - before.endedAt - least
      if (late > RETRY_PROMPT) return `attempt ${number + 1} came ${spanOf(late)} later than it should`
    }
    return undefined
  })
}

/**
 * The largest number of replays of one event to this endpoint that no read of the delivery log shows. In a run of less
 * than a week the number is 0, because the log keeps each row for at least a week. In a longer run the number may be
 * too high, but never too low. It counts every `redeliver` of the run that may have made a replay, unless a read shows
 * the row of the new delivery. It also counts every `recover` of this endpoint.
 */
const goneReplays = (run: Run, endpointId: string): number => {
  if ((run.entries.at(-1)?.passed ?? 0) < DELIVERED_KEPT) return 0
  const read = new Set(rows(run).map(({ deliveryId }) => deliveryId))
  const replays = happened(run).of("redeliver").filter(mayBeDone)
  const gone = replays.filter(({ outcome }) => outcome?._tag !== "ok" || !read.has(outcome.value.deliveryId))
  const recovered = happened(run)
    .of("recover")
    .filter((operation) => mayBeDone(operation) && operation.args.endpointId === endpointId)
  return gone.length + recovered.length
}

/**
 * Reports each event that was sent to an endpoint more often than seven times for each delivery and replay. The check
 * runs only when no fault disturbed a program, because after such a fault an attempt may be repeated.
 */
const beyondSeven = (run: Run) => {
  if (happened(run).slackMs > 0) return []
  return each(run, (row) => {
    if (row.isTest) return undefined
    const same = rows(run).filter(({ endpointId, eventId }) => eventId === row.eventId && endpointId === row.endpointId)
    const sent = postsOf(run, row.eventId, row.endpointId).filter(({ i }) => i < row.read.begin).length
    const most = (same.length + goneReplays(run, row.endpointId)) * ATTEMPTS
    return same[0] === row && sent > most ? `it was sent ${sent} times` : undefined
  })
}

/** The versions of each delivery's row, one for each successful read of the delivery log, in the order of the trace. */
const readings = (run: Run): ReadonlyMap<string, ReadonlyArray<Row>> => {
  const all = new Map<string, Array<Row>>()
  for (const read of happened(run).of("readDeliveries")) {
    if (!isDone(read) || read.outcome?._tag !== "ok") continue
    for (const row of read.outcome.value.deliveries) {
      const one = { ...row, appId: read.args.appId, read }
      const same = all.get(row.deliveryId)
      if (same === undefined) all.set(row.deliveryId, [one])
      else same.push(one)
    }
  }
  return all
}

/**
 * Compares each version of a row with the version before. If the reads of the log that returned the two versions
 * overlapped, their order is unknown, and the comparison skips them.
 */
const moves = (run: Run, wrong: (before: Row, after: Row) => string | undefined) =>
  [...readings(run).values()].flatMap((all) =>
    all.flatMap((after, index) => {
      const before = all[index - 1]
      const detail = before === undefined || before.read.end > after.read.begin ? undefined : wrong(before, after)
      return detail === undefined ? [] : [{ at: after.read.end, detail: `delivery ${after.deliveryId}: ${detail}` }]
    })
  )

const isRestarted = (run: Run, { read: before }: Row, { read: after }: Row): boolean =>
  happened(run).faults.some(
    ({ fault, i }) => (fault === "restart" || fault === "crash") && i < after.end && i > before.begin
  )

const d2: Oracle = {
  name: "D2",
  rule: "Rows go from trying to delivered, failed or too old, and stay there (Spec §3.5)",
  check: (run) => [
    ...each(run, ({ dueAt, endedAt, failReason, state }) => {
      if ((state === "trying") !== (endedAt === null) || (state === "trying") !== (dueAt !== null))
        return `it is ${state}, due at ${isoOf(dueAt)} and ended at ${isoOf(endedAt)}`
      return (state === "failed") === (failReason !== null) ? undefined : `it is ${state} because of ${failReason}`
    }),
    ...moves(run, (before, after) => {
      const isSame = (key: keyof DeliveryRow) => before[key] === after[key]
      const changed = FIXED.find((key) => !isSame(key))
      if (changed !== undefined) return `its ${changed} changed`
      if (before.isReplayed && !after.isReplayed) return "it was replayed and is not any more"
      if (before.state !== "trying" && !ENDED.every(isSame))
        return `it was ${before.state} and is ${after.state}, or ended otherwise`
      if (isRestarted(run, before, after)) return undefined
      return before.attempt > after.attempt ? `it went from attempt ${before.attempt} to ${after.attempt}` : undefined
    })
  ]
}

const FIXED = ["endpointId", "eventId", "type", "occurredAt", "createdAt", "isReplay", "isTest"] as const
const ENDED = ["state", "failReason", "endedAt", "attempt"] as const

const d3: Oracle = {
  name: "D3",
  rule: "Delivered if and only if the receiver answered 2xx within 5 s (Spec §3.5, §6.4.5)",
  check: (run) =>
    each(run, (row) => {
      const attempts = byNumber(row)
      const successes = attempts.filter(({ status }) => status !== null && status >= 200 && status < 300)
      const [success] = successes
      if (row.state === "delivered" && success === undefined) return "it is delivered without a 2xx"
      if (row.state !== "delivered" && success !== undefined) return `it is ${row.state} after a ${success.status}`
      if (success === undefined) return undefined
      if (success !== attempts.at(-1)) return "it was attempted again after a 2xx"
      const posts = postsOf(run, row.eventId, row.endpointId)
      return posts.some((post) => isSuccess(post) || wasSleptThrough(run, post))
        ? undefined
        : "its receiver never answered 2xx within 5 s"
    })
}

const isSuccess = ({ reply, tookMs }: Post): boolean =>
  tookMs <= ANSWER_DEADLINE &&
  (reply === "reset_after_2xx" || (typeof reply === "number" && reply >= 200 && reply < 300))

/**
 * Whether the worker was paused, so that it may have accepted an answer that came after the deadline of five seconds.
 * When a paused worker wakes, both the answer and the end of the five seconds are there, and the worker may take the
 * answer first.
 */
const wasSleptThrough = (run: Run, { endedAt, i, reply }: Post): boolean =>
  reply === "slow" && happened(run).faults.some((one) => one.fault === "process.pause" && one.i > i && one.t <= endedAt)

const d4: Oracle = {
  name: "D4",
  rule: "20 events in a row that exhausted their attempts disable the endpoint, a success resets the count, and nothing is sent while it is disabled (Spec §3.4)",
  check: (run) => [...wrongDisablings(run), ...sentWhileDisabled(run)]
}

const sentWhileDisabled = (run: Run) => {
  const { posts, slackMs } = happened(run)
  return posts.flatMap(({ beganAt, body, i }) => {
    const endpoint = endpointsOf(run).get(textOf(body["endpoint_id"]) ?? "")
    if (endpoint === undefined || body["type"] === "ping") return []
    const isOff = endpoint.readings.some(({ by, disabledAt }) => {
      if (disabledAt === null || disabledAt >= beganAt - slackMs) return false
      if (i < by.end && index(run).clockWasSet(i, by.end)) return false
      // The developer read the endpoint as disabled, either before or after the POST. So the endpoint was disabled all
      // the time between the read and the POST, unless an operation may have enabled the endpoint in this time.
      const [from, to] = by.begin < i ? [by.begin, i] : [i, by.end]
      const mayBeOn = endpoint.enablings.some((operation) => operation.begin < to && operation.end > from)
      return !mayBeOn
    })
    return isOff
      ? [{ at: i, detail: `${endpoint.endpointId} was sent ${textOf(body["type"])} while it was disabled` }]
      : []
  })
}

const d5 = oracle(
  "D5",
  "No attempt is made when the event is older than its rule's max_event_age_s, and while nothing fails the row then says so within a minute (Spec §3.5, §4.6.8)",
  (known, say, run) => {
    const { posts, slackMs } = happened(run)
    for (const { beganAt, body, i } of posts) {
      const most = ground(run).rules.get(textOf(body["rule_id"]) ?? "")?.fields.maxEventAgeS
      const occurredAt = timeOf(body["occurred_at"])
      if (most === undefined || most === null || occurredAt === undefined) continue
      const age = beganAt - slackMs - occurredAt
      if (age > most * SECOND) say(i, `an event was sent at the age of ${spanOf(age)}`)
    }
    const most = caps(known, run)
    for (const { createdAt, deliveryId, endedAt, eventId, occurredAt, read, state } of rows(run)) {
      const cap = most.get(eventId)
      if (state !== "too_old" || endedAt === null || cap === undefined) continue
      // An event can already be too old when its delivery is created.
      const late = endedAt - Math.max(occurredAt + cap * SECOND, createdAt)
      if (late > MINUTE && known.trace.isCalmSince(createdAt, read.end))
        say(read.end, `delivery ${deliveryId} was ended ${spanOf(late)} after its event was too old`)
    }
  }
)

/**
 * The longest time from a delivery's creation to its end: seven attempts, each with a receiver that hangs and a late
 * worker.
 */
const COURSE = 26 * HOUR

const d6: Oracle = {
  name: "D6",
  rule: "Once all faults are off, every delivery ends (Spec §3.5)",
  check: (run) => {
    const { faults } = happened(run)
    const isMended = (fault: string) => fault === "heal" || fault === "restart" || fault === "wake"
    const broken = faults.findLast(({ fault }) => !isMended(fault))
    const healedAt = faults.findLast(({ fault }) => isMended(fault))
    const isWell = broken === undefined || (healedAt !== undefined && healedAt.i > broken.i)
    const wellSince = Math.max(broken?.t ?? -Infinity, healedAt?.t ?? -Infinity)
    const last = new Map<string, CompletedCall<"readDeliveries">>()
    for (const operation of happened(run).of("readDeliveries"))
      if (isDone(operation)) last.set(operation.args.appId, operation)
    return [...last.values()].flatMap(({ begin, beganAt, end, outcome }) =>
      outcome?._tag !== "ok" || !isWell || begin < (healedAt?.i ?? 0)
        ? []
        : outcome.value.deliveries
            .filter(({ createdAt, state }) => {
              const isDue = beganAt - Math.max(createdAt, wellSince) > COURSE
              return state === "trying" && (isDue || run.quiesced)
            })
            .map(({ deliveryId }) => ({ at: end, detail: `delivery ${deliveryId} is still trying` }))
    )
  }
}

const d7: Oracle = {
  name: "D7",
  rule: "A restart never resets the count of attempts (Spec §6.4.6)",
  check: (run) => [
    ...moves(run, (before, after) => {
      if (!isRestarted(run, before, after)) return undefined
      const isFewer = after.attempt < before.attempt || after.attempts.length < before.attempts.length
      return isFewer ? `it went from attempt ${before.attempt} to ${after.attempt}` : undefined
    }),
    ...each(run, (row) => {
      const numbers = byNumber(row).map(({ attempt }) => attempt)
      const isInOrder = numbers.every((attempt, at) => attempt === at + 1)
      return isInOrder && row.attempt >= numbers.length
        ? undefined
        : `its attempts are ${numbers.join(", ")} of ${row.attempt}`
    })
  ]
}

const d8: Oracle = {
  name: "D8",
  rule: "At most one worker holds the lease of a delivery at a time, and when the first or the second lease of an attempt runs out, the attempt is due again at once (decisions deliveries-3, W2)",
  check: (run) => [...claimsHeldTwice(run), ...waitsAfterLapse(run, readings(run))]
}

const d9 = oracle(
  "D9",
  "While nothing fails, an event is sent once for each attempt of its deliveries (Spec §6.4.6)",
  (known, say, run) => {
    if (!isUndisturbed(known, run)) return
    for (const log of deliveryLogs(known)) {
      const shown = lastShown(log)
      const isGone = ({ deliveryId, endedAt }: DeliveryRow) => endedAt === null && !shown.has(deliveryId)
      for (const sending of log.sendings.values()) {
        // A row may have left the log before the delivery ended, for example because its endpoint was removed. Then the
        // log may lack further attempts of the delivery, so the oracle cannot count them.
        const excess = sending.some(isGone) ? undefined : overSent(known, run, log, sending)
        if (excess !== undefined) say(log.last.to, excess)
      }
    }
  }
)

const d10: Oracle = {
  name: "D10",
  rule: "The log keeps a delivered row for 7 days and any other row for 30 days after its end, and while nothing fails not much longer (Spec §2.9, §8)",
  check: (run) => wronglyKept(run, readings(run))
}

export const deliveries: ReadonlyArray<Oracle> = [d1, d2, d3, d4, d5, d6, d7, d8, d9, d10]
