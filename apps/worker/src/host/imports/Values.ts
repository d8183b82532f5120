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

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i

/** ISO 8601 as exporters write it. Without a zone it is UTC, as GPX says. */
export const instant = (value: unknown): Timestamp.Timestamp | undefined => {
  if (typeof value !== "string") return undefined
  const text = value.trim()
  const zone = INSTANT.exec(text)?.[1]
  if (zone === undefined && !INSTANT.test(text)) return undefined
  const millis = Date.parse(standard(text.replace(",", "."), zone))
  return Number.isNaN(millis) ? undefined : Timestamp.make(millis)
}

/** `+02` and `+0200` are no zones of JavaScript. */
const standard = (text: string, zone: string | undefined): string => {
  if (zone === undefined) return `${text}Z`
  const [, sign, hours = "", minutes = "00"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  return sign === undefined ? text : `${text.slice(0, -zone.length)}${sign}${hours}:${minutes}`
}

const NUMBER = String.raw`[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`
/** `52.1°, 4.2°`, `52.1, 4.2`, `geo:52.1,4.2`: the degree sign may have been through a wrong encoding. */
const POINT = new RegExp(String.raw`^(?:geo:)?\s*(${NUMBER})[^\d,;]{0,3},\s*(${NUMBER})[^\d,;]{0,3}(?:[,;].*)?$`)

export const point = (value: unknown): { readonly lat: number; readonly lon: number } | undefined => {
  const [, lat, lon] = typeof value === "string" ? (POINT.exec(value.trim()) ?? []) : []
  return lat === undefined || lon === undefined ? undefined : { lat: Number(lat), lon: Number(lon) }
}
