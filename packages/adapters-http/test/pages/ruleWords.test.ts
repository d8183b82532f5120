import type { Rule } from "@place-access/domain/rules"
import { AppId, ConnectionId, PlaceId, RuleId, Timestamp, UserId } from "@place-access/domain/shared"
import { expect, it } from "vitest"
import { evaluation, sentence } from "../../src/pages/portal/ruleWords.js"

const rule: Rule.Rule = {
  userId: UserId.make("usr_1"),
  id: RuleId.make("rul_1"),
  connectionId: ConnectionId.make("con_1"),
  appId: AppId.make("app_1"),
  type: "enter",
  target: { _tag: "Place", placeId: PlaceId.make("plc_1"), label: "Home" },
  dwellMinutes: null,
  settleS: null,
  silenceS: null,
  webhookUrl: null,
  isLegacy: false,
  window: { from: null, until: null },
  maxEventAgeS: null,
  createdAt: Timestamp.make(0),
  disabledAt: null
}

it.each([
  [{ type: "enter", settleS: 120 }, "(120 seconds later, unless it was a wrong position)"],
  [{ type: "enter", settleS: 0 }, ""],
  [
    { type: "dwell", dwellMinutes: 10, silenceS: 600 },
    "(or 10 minutes later, when your phone was last seen there and sends nothing)"
  ],
  [
    { type: "dwell", dwellMinutes: 10, silenceS: 301 },
    "(or 5 minutes and 1 second later, when your phone was last seen there and sends nothing)"
  ],
  [
    { type: "dwell", dwellMinutes: 10, silenceS: 359 },
    "(or 5 minutes and 59 seconds later, when your phone was last seen there and sends nothing)"
  ],
  [{ type: "dwell", dwellMinutes: 10 }, ""]
] as const)("the user reads of a rule with %j when it tells later [rules-13, rules-14]", (over, words) => {
  const reader = { language: "en", zone: null, now: Timestamp.make(0) } as const
  const text = sentence({ ...rule, ...over }, "Coffee Finder").in(reader)
  expect(text.replace(/^.*<\/strong>[^(]*/, "")).toBe(words)
})

it.each([
  [15 * Timestamp.MINUTE, "You came in before this rule began: Coffee Finder got no notification."],
  [
    15 * Timestamp.MINUTE + 1,
    "You came in, but your phone sent it 15 minutes later: Coffee Finder got no notification."
  ]
])("the user reads why an arrival that came %i ms late was not told", (delay, words) => {
  const capturedAt = Timestamp.make(0)
  const seen = { capturedAt, receivedAt: Timestamp.make(delay), outcome: "stale", eventId: null } as const
  const reader = { language: "en", zone: null, now: capturedAt } as const
  expect(evaluation(rule, seen, "Coffee Finder").in(reader)).toBe(words)
})

it.each([
  ["en", 13.4, "1,500.25 m around 52.50000, 13.40000 (near Berlin)"],
  ["de", 13.4, "1.500,25 m um 52.50000, 13.40000 (bei Berlin)"],
  ["en", -30, "1,500.25 m around 52.50000, -30.00000"]
] as const)(
  "the area of a zone rule is said for %s, at %d° east, with its town [languages-1]",
  (language, lon, words) => {
    const target = { _tag: "Zone", label: "Zone", circle: { lat: 52.5, lon, radiusM: 1_500.25 } } as const
    const reader = { language, zone: null, now: Timestamp.make(0) } as const
    const text = sentence({ ...rule, target }, "Coffee Finder").in(reader)
    expect(text.slice(-words.length)).toBe(words)
  }
)
