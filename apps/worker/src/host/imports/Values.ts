import { Timestamp } from "@place-access/domain/shared"

/** Texts and numbers as the exports of others have them. Whatever cannot be read is undefined, never a guess. */

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What is called `name` in `value`, when that is an object. */
export const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

/** iOS writes numbers as texts. */
export const number = (value: unknown): number | undefined => {
  const found = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof found === "number" && Number.isFinite(found) ? found : undefined
}

const WITHOUT_ZONE = /T[^Z+-]*$/

/** ISO 8601 as exporters write it, small letters too. Without a zone it is UTC, as GPX says. */
export const instant = (value: unknown): Timestamp.Timestamp | undefined => {
  if (typeof value !== "string") return undefined
  const text = value.trim().toUpperCase()
  return Timestamp.parseIso(WITHOUT_ZONE.test(text) ? `${text}Z` : text)
}

const NUMBER = String.raw`[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`
/** `52.1°, 4.2°`, `52.1, 4.2`, `geo:52.1,4.2`: the degree sign may have been through a wrong encoding. */
const POINT = new RegExp(String.raw`^(?:geo:)?\s*(${NUMBER})[^\d,;]{0,3},\s*(${NUMBER})[^\d,;]{0,3}(?:[,;].*)?$`)

export const point = (value: unknown): { readonly lat: number; readonly lon: number } | undefined => {
  const [, lat, lon] = typeof value === "string" ? (POINT.exec(value.trim()) ?? []) : []
  return lat === undefined || lon === undefined ? undefined : { lat: Number(lat), lon: Number(lon) }
}
