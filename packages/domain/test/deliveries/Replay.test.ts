import { Replay } from "@place-access/domain/deliveries"
import { Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"

const OCCURRED = Timestamp.make(1_767_225_600_000)

type Replayable = Parameters<typeof Replay.refusal>[0]

const row = (state: string): Replayable =>
  ({
    delivery: { state, maxEventAgeS: 60, envelope: { occurredAt: OCCURRED } },
    endpoint: { disabledAt: null, epoch: 0 },
    isPending: false
  }) as unknown as Replayable

describe("a row that was withheld because its event was too old", () => {
  it("is not sent again, not even when the clock was set back to when the event was young", () => {
    expect(Replay.refusal(row("too_old"), OCCURRED)).toBe("too_old")
    expect(Replay.refusal(row("too_old"), Timestamp.plus(OCCURRED, -Timestamp.HOUR))).toBe("too_old")
  })
  it("one that failed is sent again while the event is young enough, and not a millisecond later", () => {
    expect(Replay.refusal(row("failed"), Timestamp.plus(OCCURRED, 60_000))).toBeUndefined()
    expect(Replay.refusal(row("failed"), Timestamp.plus(OCCURRED, 60_001))).toBe("too_old")
  })
})
