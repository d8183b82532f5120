/** The fields of a new rule that a test says nothing about: told of each arrival, at any hour, however late, at every endpoint. */
export const ENTER = {
  type: "enter",
  dwellMinutes: null,
  webhookUrl: null,
  activeFrom: null,
  activeUntil: null,
  maxEventAgeS: null
} as const
