import { DateTime } from "effect"
import { type Timestamp, Words } from "@place-access/domain/shared"
import { type Html, html } from "./Html.js"

/** `31 March 2026 at 12:00 UTC`. Pages run no script, so they cannot know the reader's time zone. */
export const words = Words.moment

/** `2026-03-31 12:00:05 UTC`, for tables. */
export const row = (at: Timestamp.Timestamp): string =>
  DateTime.formatIso(DateTime.unsafeMake(at))
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC")

/** `12:00:05 UTC`, for tables of one day. */
export const clock = (at: Timestamp.Timestamp): string => row(at).slice(11)

export const time = (at: Timestamp.Timestamp, text: (at: Timestamp.Timestamp) => string = words): Html =>
  html`<time datetime="${DateTime.formatIso(DateTime.unsafeMake(at))}">${text(at)}</time>`
