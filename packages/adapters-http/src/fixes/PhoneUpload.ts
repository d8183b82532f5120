import { Fix } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import type { VisitReport } from "@place-access/domain/visits"

/** What a phone's app sent. Whether it can be is for the domain to judge: what cannot is put aside there, not refused here. */
export interface PhoneUpload {
  readonly readings: ReadonlyArray<Fix.Reading>
  readonly visits: ReadonlyArray<VisitReport.VisitReport>
}

/*
 * To take apart what anybody may have sent. None of these fails: what is not there, or is something else, is undefined.
 */

export type Fields = Readonly<Record<string, unknown>>

export const fields = (value: unknown): Fields | undefined => (isFields(value) ? value : undefined)

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const list = (value: unknown): ReadonlyArray<unknown> | undefined => (Array.isArray(value) ? value : undefined)

/** A number, or a text that is one; a text that is none is NaN, which no reading can have. */
export const number = (value: unknown): number | undefined => {
  if (typeof value === "number") return value
  if (typeof value !== "string") return undefined
  const text = value.trim()
  return text === "" ? undefined : Number(text)
}

/** Of the two numbers without which there is no place. Put aside by the domain, when it is none. */
export const degrees = (value: unknown): number => number(value) ?? Number.NaN

/** `undefined` when the text is no JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Stands for a body of which nothing can be read: the domain puts it aside and counts it. */
export const UNREADABLE: Fix.Reading = { capturedAt: Fix.UNREADABLE, lat: Number.NaN, lon: Number.NaN }
const YEAR_1 = -62_135_596_800_000
const YEAR_9999 = 253_402_300_799_999

export const instant = (millis: number | undefined): Timestamp.Timestamp =>
  millis !== undefined && millis >= YEAR_1 && millis <= YEAR_9999 ? Timestamp.make(millis) : Fix.UNREADABLE

/** ISO 8601 with a zone, in milliseconds. */
export const isoMillis = (value: unknown): number | undefined =>
  typeof value === "string" ? Timestamp.parseIso(value) : undefined
