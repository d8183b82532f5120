import { html, type Html } from "@place-access/adapters-http/html/Html"
import * as Time from "@place-access/adapters-http/pages/kit/Time"
import { Timestamp, TimeZone } from "@place-access/domain/shared"
import { Option } from "effect"
import { describe, expect, it } from "vitest"

const at = (iso: string): Timestamp.Timestamp => Timestamp.parseIso(iso) ?? Timestamp.make(Number.NaN)
const zone = Option.getOrThrow(TimeZone.find("Europe/Berlin"))
const NOW = at("2026-11-22T22:30:00Z")
const locale = { language: "en", now: NOW, zone } as const

describe("times on pages [accounts-19]", () => {
  it("are said in the reader's zone, near now by the name of the day", () => {
    const localTime = (iso: string) => Time.local(at(iso), "words", locale)
    expect(localTime("2026-11-22T09:38:00Z")).toBe("today 10:38")
    // 23:30 in UTC is already 0:30 of the next day in Berlin.
    expect(localTime("2026-11-22T23:30:00Z")).toBe("tomorrow 00:30")
    expect(localTime("2026-11-20T23:00:00Z")).toBe("yesterday 00:00")
    expect(localTime("2026-11-20T22:59:59Z")).toBe("20 November at 23:59")
    expect(localTime("2025-07-01T10:00:00Z")).toBe("1 July 2025 at 12:00")
  })

  it("count calendar days when clocks change: a day has 25 hours", () => {
    const after = { language: "en", now: at("2026-10-26T23:30:00Z"), zone } as const
    expect(Time.local(at("2026-10-24T22:00:00Z"), "words", after)).toBe("25 October at 00:00")
    expect(Time.local(at("2026-10-25T23:00:00Z"), "words", after)).toBe("yesterday 00:00")
  })

  it("the frame says every time of a page so, with UTC in the title; words begin a cell with a capital", () => {
    const moment = at("2026-11-22T09:38:05Z")
    const page = html`<p>Until ${Time.time(moment)}</p>
      <dd>${Time.time(moment)}</dd>
      <td>${Time.time(moment, "row")}</td>`
    const text = Time.withCapitals(page.in(locale))
    expect(text).toContain('title="22 November 2026 at 09:38 UTC">today 10:38</time></p>')
    expect(text).toContain(">Today 10:38</time></dd>")
    expect(text).toContain(">Today 10:38:05</time></td>")
  })

  it("without a zone stay full dates in UTC: today could be wrong", () => {
    const page = html`${Time.time(at("2026-11-22T09:38:05Z"))}`
    expect(page.in({ ...locale, zone: null })).toBe(
      '<time datetime="2026-11-22T09:38:05.000Z">22 November 2026 at 09:38 UTC</time>'
    )
  })

  it("somebody's text that looks like a time stays text", () => {
    const evil = '<time datetime="2026-11-22T09:38:05.000Z" data-as="words">x</time>'
    expect(html`<p>${evil}</p>`.in(locale)).not.toContain("today")
  })

  it("are said in the reader's language", () => {
    const german = { ...locale, language: "de" } as const
    const localTime = (iso: string) => Time.local(at(iso), "words", german)
    expect(["2026-11-22T09:38:00Z", "2026-03-20T22:59:59Z", "2025-07-01T10:00:00Z"].map(localTime)).toEqual([
      "heute 10:38",
      "20. März um 23:59",
      "1. Juli 2025 um 12:00"
    ])
    expect(Time.heading(at("2026-11-22T09:38:00Z")).in(german)).toBe("Heute, Sonntag, 22. November")
    expect(Time.ago(Timestamp.plus(NOW, -5 * Timestamp.DAY), NOW).in(german)).toBe("vor 5 Tagen")
    expect(Time.count(12_345).in(german)).toBe("12.345")
    expect(Time.time(NOW).in({ ...german, zone: null })).toContain(">22. November 2026 um 22:30 UTC<")
  })

  it("durations and ages have one unit or two", () => {
    const textOf = (text: Html) => text.in(locale)
    expect(
      [30_000, 3 * 60_000, 3_600_000, 7_800_000, 3 * 86_400_000].map((millis) => textOf(Time.duration(millis)))
    ).toEqual(["0 min", "3 min", "1 h", "2 h 10 min", "3 days"])
    expect(textOf(Time.ago(Timestamp.plus(NOW, -20_000), NOW))).toBe("just now")
    expect(textOf(Time.ago(Timestamp.plus(NOW, -180_000), NOW))).toBe("3 min ago")
    expect(textOf(Time.count(12_345))).toBe("12,345")
  })
})
