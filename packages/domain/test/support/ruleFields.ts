/**
 * The fields of a new rule that a test does not care about. Each arrival fires at any hour, and its event goes to every
 * endpoint, however old it is.
 */
export const ENTER = {
  type: "enter",
  dwellMinutes: null,
  webhookUrl: null,
  activeFrom: null,
  activeUntil: null,
  maxEventAgeS: null
} as const
