/**
 * Fields for a new rule, when a test does not care about them. The rule fires at each arrival and at any hour. Its
 * events go to every endpoint, and are never too old to be sent.
 */
export const ENTER = {
  type: "enter",
  dwellMinutes: null,
  webhookUrl: null,
  activeFrom: null,
  activeUntil: null,
  maxEventAgeS: null
} as const
