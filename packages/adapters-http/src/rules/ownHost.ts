import type { Rule } from "@place-access/domain/rules"

/**
 * The host, with its port if the address names one, to which an imported rule's events go; null for every other rule.
 * The user reads the host only, because path and query can contain keys of the app (decision legacy-3).
 */
export const ownHost = ({ isLegacy, webhookUrl }: Rule.Rule): string | null =>
  isLegacy && webhookUrl !== null ? new URL(webhookUrl).host : null
