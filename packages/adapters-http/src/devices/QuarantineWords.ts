import type { QuarantineReason } from "@place-access/domain/devices"

interface QuarantineWords {
  /** The status of a phone whose last upload had only readings that were put aside for this reason. */
  readonly status: string
  /** The problem, and what the owner can do about it. */
  readonly explanation: string
}

/** What the owner of a phone reads about readings that were put aside. */
export const quarantineWords: Readonly<Record<QuarantineReason, QuarantineWords>> = {
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
