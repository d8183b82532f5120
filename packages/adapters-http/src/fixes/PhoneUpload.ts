import { Fix } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import type { VisitReport } from "@place-access/domain/fixes"

/**
 * The content of a phone's upload before any check. This module refuses nothing: the domain quarantines impossible
 * readings later.
 */
export interface PhoneUpload {
  readonly readings: ReadonlyArray<Fix.Reading>
  readonly visits: ReadonlyArray<VisitReport.VisitReport>
}

/*
 * Helpers to take unknown JSON apart. None of them fails. A missing value, or a value of another type, gives undefined,
 * or (in `degrees` and `instant`) a value that no valid reading has.
 */

export type Fields = Readonly<Record<string, unknown>>

export const fields = (value: unknown): Fields | undefined => (isFields(value) ? value : undefined)

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const list = (value: unknown): ReadonlyArray<unknown> | undefined => (Array.isArray(value) ? value : undefined)

/**
 * A number, or a text that is a number. An empty or blank text gives undefined. Any other text gives NaN, which no
 * valid reading has.
 */
export const number = (value: unknown): number | undefined => {
  if (typeof value === "number") return value
  if (typeof value !== "string") return undefined
  const text = value.trim()
  return text === "" ? undefined : Number(text)
}

/** A latitude or longitude. A missing value gives NaN, and the domain quarantines the reading. */
export const degrees = (value: unknown): number => number(value) ?? Number.NaN

/** The reading that stands for a body that cannot be read at all. The domain quarantines and counts it. */
export const UNREADABLE: Fix.Reading = { capturedAt: Fix.UNREADABLE, lat: Number.NaN, lon: Number.NaN }
const YEAR_1 = -62_135_596_800_000
const YEAR_9999 = 253_402_300_799_999

export const instant = (millis: number | undefined): Timestamp.Timestamp =>
  millis !== undefined && millis >= YEAR_1 && millis <= YEAR_9999 ? Timestamp.make(millis) : Fix.UNREADABLE

/** A time in ISO 8601 with a zone, as milliseconds since 1970; undefined for anything else. */
export const isoMillis = (value: unknown): number | undefined =>
  typeof value === "string" ? Timestamp.parseIso(value) : undefined
