import type { Silence } from "@place-access/domain/devices"

/**
 * The CSS class of the badge that shows how long a phone has been silent, on the first page and the pages of phones.
 * Amber (`warn`): nothing was sent yet, or the phone has been silent for an hour. Red (`bad`): the phone has been
 * silent for a day.
 */
export const SILENCE_BADGES: Readonly<Record<Silence.Silence, string>> = {
  fresh: "",
  late: "warn",
  silent: "bad",
  never: "warn"
}
