import type { Run } from "../../Oracle.js"
import { answered, answeredTo, listOf } from "../support/Answers.js"
import { course, type Note } from "../support/courses/Course.js"
import { endpointsOf } from "../support/deliveries/Endpoints.js"
import { isSentAgain, isStoredFirst } from "../support/deliveries/FirstAttempts.js"
import { isFiring, rows } from "../support/deliveries/Firings.js"
import { ground } from "../support/Ground.js"
import { isOver } from "../support/Ended.js"
import { type CompletedCall, happened, isDone, type Post, textOf } from "../support/trace/Happened.js"
import { leasesTakenOver } from "../support/deliveries/Leases.js"
import { LEASE, SECRET_OVERLAP } from "../../Specification.js"

/**
 * Marks about rules, windows, the limit of ten rules, visits, webhooks and deliveries. A mark is a rare situation that
 * some run must reach, because otherwise an oracle has nothing to judge. These marks follow from the trace alone.
 */

interface Mark {
  readonly name: string
  readonly isReached: (run: Run) => boolean
}

const noted = (note: Note): Mark => ({ name: note, isReached: (run) => course(run).notes.has(note) })

const posted = (name: string, is: (post: Post) => boolean): Mark => ({
  name,
  isReached: (run) => happened(run).posts.some(is)
})

const row = (name: string, is: (row: ReturnType<typeof rows>[number]) => boolean): Mark => ({
  name,
  isReached: (run) => rows(run).some(is)
})

const stored = (name: string, result: string): Mark => ({ name, isReached: (run) => isStoredFirst(run, result) })

const answeredWith = (name: string, is: (call: ReturnType<typeof answered>[number]) => boolean): Mark => ({
  name,
  isReached: (run) => answered(run).some(is)
})

const done = (name: string, is: (operation: CompletedCall) => boolean): Mark => ({
  name,
  isReached: (run) => happened(run).all.some((operation) => isDone(operation) && is(operation))
})

const asksForRule = ({ request }: { readonly request: object }): boolean => "type" in request

const rules: ReadonlyArray<Mark> = [
  noted("first fix"),
  noted("boundary fix"),
  noted("fired"),
  noted("cooldown drop"),
  noted("fired at the end of the cooldown"),
  noted("stale crossing"),
  noted("crossing of before the rule was made"),
  noted("stale fix began a stay"),
  noted("dwell fired"),
  noted("rule begun anew"),
  noted("old fix"),
  noted("fix outside of the window"),
  noted("late batch applied"),
  noted("late batch ignored"),
  noted("crossing waited"),
  noted("crossing contradicted"),
  noted("crossing settled"),
  noted("crossing told by the clock"),
  noted("stay told by silence"),
  noted("silence broken from outside"),
  done("duplicate fix", ({ outcome }) => valueOf(outcome, "duplicates") > 0),
  done("fix put aside", ({ outcome }) => valueOf(outcome, "quarantined") > 0),
  done("shuffled upload", ({ args, name }) => name === "upload" && "fixes" in args && isShuffled(args.fixes)),
  done("rule stopped by its user", ({ name }) => name === "removeRuleOfUser"),
  answeredWith("rule deleted by its app", ({ request, status }) => "ruleId" in request && status < 300),
  answeredWith("window refused", (call) => asksForRule(call) && call.error === "validation_failed"),
  answeredWith("window finished", ({ body }) => listOf(body["rules"]).some(({ state }) => state === "finished")),
  answeredWith("rule disabled", ({ body }) => listOf(body["rules"]).some(({ state }) => state === "disabled")),
  answeredWith("eleventh rule refused", ({ error }) => error === "rule_limit_reached"),
  {
    name: "race for the last place",
    isReached: (run) => {
      const requests = answered(run).filter(asksForRule)
      return requests.some(
        (lost) =>
          lost.error === "rule_limit_reached" &&
          requests.some(
            (won) =>
              won.status === 201 &&
              won.connectionId === lost.connectionId &&
              won.did.begin < lost.did.end &&
              lost.did.begin < won.did.end
          )
      )
    }
  },
  {
    name: "uploads at once",
    isReached: (run) => {
      const uploads = happened(run).of("upload")
      return uploads.some((one, at) => {
        const next = uploads[at + 1]
        return next !== undefined && next.begin < one.end && next.args.userId === one.args.userId
      })
    }
  }
]

const valueOf = (outcome: CompletedCall["outcome"], key: string): number =>
  outcome?._tag === "ok" ? Number((outcome.value as Record<string, unknown> | null)?.[key] ?? 0) : 0

const isShuffled = (fixes: ReadonlyArray<{ readonly capturedAt: number }>): boolean =>
  fixes.some((fix, at) => fix.capturedAt < (fixes[at - 1]?.capturedAt ?? -Infinity))

const visits: ReadonlyArray<Mark> = [
  answeredWith("visit told", ({ body }) => listOf(body["visits"]).length > 0),
  answeredWith("open visit told", ({ body }) => listOf(body["visits"]).some(({ departure }) => departure === null)),
  answeredWith(
    "visits on a second page",
    ({ body, request }) => "cursor" in request && request.cursor !== null && listOf(body["visits"]).length > 0
  ),
  answeredWith("place found at a moment", ({ body }) => body["matched"] === true),
  answeredWith("elsewhere at a moment", ({ body }) => body["matched"] === false && body["asOf"] !== null),
  answeredWith("nothing near a moment", ({ body }) => body["matched"] === false && body["asOf"] === null),
  answeredWith("place not visible", ({ request, status }) => "placeId" in request && status === 404),
  done(
    "earlier visits included",
    ({ args }) =>
      "places" in args && args.places.some((place) => typeof place === "object" && place.includeEarlierVisits)
  ),
  done("place archived", ({ name }) => name === "archivePlace"),
  {
    name: "old name told",
    isReached: (run) =>
      answeredTo(run, "GET /v1/visits").some(({ body, did }) =>
        listOf(body["visits"]).some(({ place }) => {
          const known = ground(run).places.get(textOf((place as { id?: unknown } | null)?.id) ?? "")
          return (known?.labels.writes.filter(({ end }) => end < did.begin).length ?? 0) > 1
        })
      )
  }
]

const webhooks: ReadonlyArray<Mark> = [
  posted("redirect", ({ reply }) => typeof reply === "number" && reply >= 300 && reply < 400),
  posted("receiver hangs", ({ reply }) => reply === "hang"),
  posted("receiver too slow", ({ reply }) => reply === "slow"),
  posted("receiver refuses", ({ reply }) => reply === "refuse"),
  posted("connection reset", ({ reply }) => reply === "reset"),
  posted("connection reset after 2xx", ({ reply }) => reply === "reset_after_2xx"),
  posted("answer in the last moment", ({ reply, tookMs }) => reply === 200 && tookMs > 4_900),
  posted("two signatures", ({ signatures }) => signatures > 1),
  posted("test sent", ({ body }) => body["type"] === "ping"),
  posted("places.changed sent", ({ body }) => body["type"] === "places.changed"),
  {
    name: "old secret gone",
    isReached: (run) =>
      happened(run).posts.some(({ beganAt, body }) =>
        endpointsOf(run)
          .get(textOf(body["endpoint_id"]) ?? "")
          ?.secrets.some(
            ({ surelyReplaced }) => surelyReplaced !== undefined && surelyReplaced.endedAt + SECRET_OVERLAP <= beganAt
          )
      )
  },
  {
    name: "one event at two endpoints",
    isReached: (run) => {
      const first = new Map<unknown, unknown>()
      return happened(run).posts.some(({ body: { endpoint_id, event_id } }) => {
        const before = first.get(event_id) ?? endpoint_id
        first.set(event_id, before)
        return before !== endpoint_id
      })
    }
  },
  {
    name: "sent to its rule's own address",
    isReached: (run) =>
      happened(run).posts.some(
        ({ body }) => (ground(run).rules.get(textOf(body["rule_id"]) ?? "")?.fields.webhookUrl ?? null) !== null
      )
  },
  row("not authorised withheld", ({ failReason }) => failReason === "not_authorised"),
  {
    name: "stopped for a connection that ended",
    isReached: (run) =>
      rows(run).some(
        ({ failReason, type }) =>
          failReason === "not_authorised" &&
          isFiring(type) &&
          [...ground(run).rules.values()].some(({ connectionId, made, pair }) =>
            isOver(pair, connectionId, made, Infinity, -Infinity)
          )
      )
  },
  {
    name: "firing that nobody wants",
    isReached: (run) =>
      happened(run)
        .of("readAccessLog")
        .some(
          ({ outcome }) => outcome?._tag === "ok" && outcome.value.entries.some(({ error }) => error === "no_endpoint")
        )
  }
]

const deliveries: ReadonlyArray<Mark> = [
  row("delivered at once", ({ attempt, state }) => state === "delivered" && attempt === 1),
  row("delivered on a retry", ({ attempt, state }) => state === "delivered" && attempt > 1),
  row("seventh attempt", ({ attempts }) => attempts.some(({ attempt }) => attempt === 7)),
  row("delivered on the seventh attempt", ({ attempt, state }) => state === "delivered" && attempt === 7),
  row("exhausted", ({ failReason }) => failReason === "exhausted"),
  row("too old withheld", ({ state }) => state === "too_old"),
  row("too old after an attempt", ({ attempts, state }) => state === "too_old" && attempts.length > 0),
  row("failed with its endpoint", ({ failReason }) => failReason === "endpoint_removed"),
  row("replay delivered", ({ isReplay, state }) => isReplay && state === "delivered"),
  row("replay exhausted", ({ failReason, isReplay }) => isReplay && failReason === "exhausted"),
  {
    name: "20th exhaustion",
    isReached: (run) => [...endpointsOf(run).values()].some(({ readings }) => readings.some(({ enabled }) => !enabled))
  },
  {
    name: "endpoint disabled with waiting rows",
    isReached: (run) =>
      [...endpointsOf(run).values()].some(({ endpointId, readings }) =>
        readings.some(({ disabledAt }) =>
          rows(run).some(
            (one) =>
              one.endpointId === endpointId && one.failReason === "endpoint_disabled" && one.endedAt === disabledAt
          )
        )
      )
  },
  {
    name: "count begun anew by a success",
    isReached: (run) =>
      [...endpointsOf(run).values()].some(({ readings }) =>
        readings.some(({ strikes }, at) => at > 0 && strikes < (readings[at - 1]?.strikes ?? 0))
      )
  },
  done("endpoint enabled", ({ args, name }) => name === "editEndpoint" && "enabled" in args),
  done("retried by hand", ({ name }) => name === "retryNow"),
  done("recovered", ({ outcome }) => valueOf(outcome, "queued") > 0),
  stored("first attempt arrived before there was a row", "Delivered"),
  stored("first attempt before there was a row became a retry", "Retry"),
  { name: "sent again after its worker died before the row", isReached: isSentAgain },
  { name: "lease taken over", isReached: (run) => leasesTakenOver(run) > 0 },
  {
    name: "worker died while a receiver was waited for",
    isReached: (run) => {
      const { faults, posts } = happened(run)
      return posts.some(({ beganAt, tookMs }) =>
        faults.some(({ fault, t }) => fault === "crash" && t > beganAt && t < beganAt + Math.min(tookMs, LEASE))
      )
    }
  }
]

const all: ReadonlyArray<Mark> = [...rules, ...visits, ...webhooks, ...deliveries]

export const names: ReadonlyArray<string> = all.map(({ name }) => name)

export const reached = (run: Run): ReadonlySet<string> =>
  new Set(all.filter(({ isReached }) => isReached(run)).map(({ name }) => name))
