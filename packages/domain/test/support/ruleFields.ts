/**
 * Fields for a new rule, when a test does not care about them. The rule fires at each arrival and at any hour, and its
 * event goes to every endpoint, however old it is.
 */
export const ENTER = {
  type: "enter",
  dwellMinutes: null,
  webhookUrl: null,
  activeFrom: null,
  activeUntil: null,
  maxEventAgeS: null
} as const
