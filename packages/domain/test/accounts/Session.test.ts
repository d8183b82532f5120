import { Session } from "@place-access/domain/accounts"
import { Timestamp } from "@place-access/domain/shared"
import { expect, it } from "vitest"

it("a confirmation more than 15 minutes ahead, from before the clock was set back, permits nothing [accounts-17]", () => {
  const now = Timestamp.make(Date.UTC(2026, 0, 15, 12))
  const freshAgo = (ago: number) => Session.isFresh({ confirmedAt: Timestamp.plus(now, -ago) }, now)
  const { FRESH_FOR } = Session
  expect([0, FRESH_FOR - 1, FRESH_FOR].map(freshAgo)).toEqual([true, true, false])
  expect([-1, -FRESH_FOR, -FRESH_FOR - 1, -Timestamp.DAY].map(freshAgo)).toEqual([true, true, false, false])
})
