import type { QuarantineReason } from "@place-access/domain/devices"
import { textsIn } from "../languages/index.js"

interface QuarantineWords {
  /**
   * The status of a phone whose last upload had nothing usable, because its readings or visits were quarantined for the
   * reason that this entry describes.
   */
  readonly status: string
  /** The problem, and what the owner can do about it. */
  readonly explanation: string
}

/** The English texts of the API about quarantined readings (decision languages-1). */
export const quarantineWords: Readonly<Record<QuarantineReason, QuarantineWords>> = textsIn("en").devices.quarantine
