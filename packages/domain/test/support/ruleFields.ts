/**
 * The fields of a new rule that a test does not care about: each arrival fires, at any hour, at any age, at every
 * endpoint.
 */
export const ENTER = {
  type: "enter",
  dwellMinutes: null,
  webhookUrl: null,
  activeFrom: null,
  activeUntil: null,
  maxEventAgeS: null
} as const
