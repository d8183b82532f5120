import type { QuarantineReason } from "../fixes/Fix.js"
import type { Device } from "./Device.js"

/** Whether what a phone sends is of use. `put_aside`: nothing of its last upload could be taken. */
export type DeviceStatus =
  | { readonly state: "nothing_sent" }
  | { readonly state: "sending" }
  | { readonly state: "put_aside"; readonly reason: QuarantineReason }

/** A phone with a bad reading among good ones is sending; a phone of which everything is put aside is not. */
export const of = ({ lastKeptAt, lastSeenAt, putAside }: Device): DeviceStatus => {
  const [latest] = putAside
  if (latest !== undefined && (lastKeptAt === null || latest.lastAt > lastKeptAt)) {
    return { state: "put_aside", reason: latest.reason }
  }
  return { state: lastSeenAt === null ? "nothing_sent" : "sending" }
}

interface Words {
  /** Of a phone whose last upload had nothing else. */
  readonly status: string
  /** What was wrong, and what the owner can do. */
  readonly explanation: string
}

const WORDS: Readonly<Record<QuarantineReason, Words>> = {
  unreadable: {
    status: "Sends what we cannot read",
    explanation: "We could not read the time or the position. Check the settings of the app that sends them."
  },
  out_of_range: {
    status: "Sends impossible positions",
    explanation: "The latitude or the longitude was outside the possible range."
  },
  null_island: {
    status: "Sends no position",
    explanation: "The position was 0° north, 0° east: the phone did not know where it was."
  },
  future: {
    status: "Its clock is wrong",
    explanation:
      "The phone said a time more than 5 minutes ahead of ours. Let the phone set its date and time automatically."
  },
  too_old: {
    status: "Its clock is wrong",
    explanation: "The phone said a time before 2010. Let the phone set its date and time automatically."
  },
  no_stay: {
    status: "Sends impossible visits",
    explanation: "A visit had no time, or it ended before it began."
  },
  not_kept: {
    status: "Sends what is too old",
    explanation: "It was older than you want your history kept, so we did not store it."
  }
}

/** For the owner of the phone. */
export const words = (reason: QuarantineReason): Words => WORDS[reason]
