import type { QuarantineReason } from "@place-access/domain/devices"
import { textsIn } from "../languages/index.js"

interface QuarantineWords {
  /**
   * The status of a phone when nothing in its last upload was usable, and the service quarantined readings or visits of
   * the upload for this reason.
   */
  readonly status: string
  /** The problem, and what the owner can do about it. */
  readonly explanation: string
}

/** The English texts of the API about quarantined readings (decision languages-1). */
export const quarantineWords: Readonly<Record<QuarantineReason, QuarantineWords>> = textsIn("en").devices.quarantine
