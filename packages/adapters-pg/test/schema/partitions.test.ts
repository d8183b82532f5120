import { Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"

const at = (iso: string) => Timestamp.make(Date.parse(iso))

describe("months", () => {
  const span = (iso: string) => Partitions.months(at(iso)).map(({ suffix }) => suffix)

  it("runs from the month before to the second one after, across the year and at its edges", () => {
    expect(span("2026-01-31T23:59:59.999Z")).toEqual(["2025_12", "2026_01", "2026_02", "2026_03"])
    expect(span("2026-02-01T00:00:00.000Z")).toEqual(["2026_01", "2026_02", "2026_03", "2026_04"])
    expect(span("2025-11-30T12:00:00.000Z")).toEqual(["2025_10", "2025_11", "2025_12", "2026_01"])
  })

  it("follow one another without a gap or an overlap", () => {
    const list = Partitions.months(at("2027-12-15T00:00:00.000Z"))
    expect(list.slice(1).map(({ from }) => from)).toEqual(list.slice(0, -1).map(({ to }) => to))
    expect(list[0]).toEqual({ suffix: "2027_11", from: "2027-11-01T00:00:00.000Z", to: "2027-12-01T00:00:00.000Z" })
  })
})
